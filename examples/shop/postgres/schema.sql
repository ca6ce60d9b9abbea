set role shop;

create table products (
  id text primary key,
  name text not null,
  price_cents integer not null check (price_cents > 0)
);

create table orders (
  id uuid primary key,
  product_id text not null references products,
  quantity integer not null check (quantity between 1 and 100),
  status text not null default 'accepted' check (status in ('accepted', 'shipped')),
  accepted_at timestamptz not null default now(),
  shipped_at timestamptz
);

insert into products (id, name, price_cents) values
  ('kettle', 'Enamel kettle', 3900),
  ('lamp', 'Reading lamp', 5400),
  ('mug', 'Stoneware mug', 1200),
  ('rug', 'Wool rug', 12900),
  ('stool', 'Oak stool', 8900);
