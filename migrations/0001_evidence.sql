-- Evidence of drills. Facts (events, samples, undo_records, proofs, decisions) are only ever inserted; state (runs, steps, leases)
-- can be recomputed from events. Evidence is kept in columns of type json, not jsonb: it stays as it was written, and its digest with it.

create table plans (
  digest text primary key,
  name text not null,
  plan json not null,
  created_at timestamptz(3) not null
);
comment on table plans is 'Compiled drills, each stored once';
comment on column plans.digest is 'SHA-256 the planner computed over all that decides what happens';

create table runs (
  run_id text primary key,
  name text not null,
  request_key text not null unique,
  status text not null,
  plan_digest text not null references plans (digest),
  request json not null,
  binding json,
  result json,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  last_seq integer not null default 0,
  last_hash text not null
);
comment on table runs is 'One execution of a plan each; its row is locked while an event is appended';
comment on column runs.request_key is 'Random, one per call that starts a run: the same key never makes a second run';
comment on column runs.binding is 'The plan''s names tied to live identities at admission';
comment on column runs.result is 'Verdict and what it rests on, as computed when the run ended';
comment on column runs.last_seq is 'Number of events; with last_hash it shows when the newest ones are cut off';
create index runs_created_at on runs (created_at desc);
create index runs_active on runs (created_at) where ended_at is null;

create table steps (
  run_id text not null references runs (run_id),
  step_id text not null,
  kind text not null,
  seq integer not null,
  block integer not null,
  state text not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  primary key (run_id, step_id)
);
comment on table steps is 'Where each step of a run stands: planned, running, finished, failed or skipped';

create table leases (
  lease_id text primary key,
  run_id text not null references runs (run_id),
  step_id text not null,
  fault text not null,
  target_name text not null,
  spec json not null,
  state text not null,
  injection text,
  outcome text,
  released_by text,
  deadline timestamptz(3),
  injected_at timestamptz(3),
  undone_at timestamptz(3),
  inject_ms double precision,
  undo_ms double precision,
  problem text,
  created_at timestamptz(3) not null
);
comment on table leases is 'One fault on one target each, from admission to proven end';
comment on column leases.injection is 'What the proofs at start and just before undo say together';
comment on column leases.outcome is 'How undo ended: restored, replaced, gone, residue, unproven, kept_faulted or none';
create index leases_run_id on leases (run_id);
create index leases_open on leases (created_at) where state not in ('released', 'abandoned');

create table resource_holds (
  resource text primary key,
  run_id text not null references runs (run_id),
  held_at timestamptz(3) not null
);
comment on table resource_holds is 'Which run owns a resource now: one at a time';
create index resource_holds_run_id on resource_holds (run_id);

create table lease_resources (
  lease_id text not null references leases (lease_id),
  resource text not null,
  run_id text not null references runs (run_id),
  released_at timestamptz(3),
  primary key (lease_id, resource)
);
comment on table lease_resources is 'What each lease owns while open; leases of one run may share a resource, as the faults of a chain do';
create index lease_resources_open on lease_resources (resource) where released_at is null;

create table undo_records (
  lease_id text primary key references leases (lease_id),
  run_id text not null references runs (run_id),
  record json not null,
  recorded_at timestamptz(3) not null
);
comment on table undo_records is 'All that undo needs, written before anything is injected and never replaced';
create index undo_records_run_id on undo_records (run_id);

create table proofs (
  lease_id text not null references leases (lease_id),
  digest text not null,
  run_id text not null references runs (run_id),
  stage text not null,
  outcome text not null,
  at timestamptz(3) not null,
  read json not null,
  primary key (lease_id, digest)
);
comment on table proofs is 'What was read back from a target after inject, just before undo, and after undo';
create index proofs_run_id on proofs (run_id);

create table samples (
  run_id text not null references runs (run_id),
  source_id text not null,
  slot integer not null,
  at timestamptz(3) not null,
  ok boolean not null,
  status integer,
  latency_ms double precision,
  error text,
  batch_seq integer not null,
  primary key (run_id, source_id, slot)
);
comment on table samples is 'Measurements by probes';
comment on column samples.slot is 'Cadences since the run''s start: writing a sample twice stores it once';
comment on column samples.batch_seq is 'The samples.recorded event that carries the digest of this row''s batch';

create table criteria (
  run_id text not null references runs (run_id),
  version integer not null,
  position integer not null,
  type text not null,
  source text not null,
  passed boolean,
  expected text not null,
  measured text,
  primary key (run_id, version, position)
);
comment on table criteria is 'How each criterion was judged; a later judgement is a new version';

create table decisions (
  run_id text not null references runs (run_id),
  position integer not null,
  gate text not null,
  step_id text,
  fault text,
  allowed boolean not null,
  reason text not null,
  primary key (run_id, position)
);
comment on table decisions is 'What each safety gate decided, allowed or not';

create table events (
  run_id text not null references runs (run_id),
  seq integer not null,
  kind text not null,
  at timestamptz(3) not null,
  recorded_at timestamptz(3) not null,
  payload json not null,
  prev_hash text not null,
  hash text not null,
  primary key (run_id, seq)
);
comment on table events is 'The history of each run; every event carries the hash of the one before';
comment on column events.at is 'When it happened';
comment on column events.recorded_at is 'When it was written';

create table requests (
  request_id bigint generated always as identity primary key,
  kind text not null,
  run_id text not null references runs (run_id),
  actor text not null,
  reason text not null,
  created_at timestamptz(3) not null,
  forwarded_at timestamptz(3)
);
comment on table requests is 'What operators asked of a run; kept until a worker has handed it to the workflow, and after';
create index requests_pending on requests (request_id) where forwarded_at is null;

create table stop_switch (
  stop_id bigint generated always as identity primary key,
  actor text not null,
  reason text not null,
  set_at timestamptz(3) not null,
  lifted_by text,
  lifted_at timestamptz(3)
);
comment on table stop_switch is 'While a row is not lifted no run starts';
create unique index stop_switch_one on stop_switch ((true)) where lifted_at is null;

create table workers (
  worker_id text primary key,
  host text not null,
  pid integer not null,
  version text not null,
  queues json not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);
comment on table workers is 'Living workers, each beating once a second';

create table installation (
  one boolean primary key default true check (one),
  installation_id text not null,
  created_at timestamptz(3) not null
);
comment on table installation is 'The identity that all marks on engines carry';
