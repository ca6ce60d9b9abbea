import { describe, expect, it } from 'vitest';
import { hostsOf } from './environment-hosts.js';

const hosts = (name: string, value: string) => hostsOf({ name, value });

describe('hosts that an environment variable points at', () => {
  it.each<[string, string, readonly string[]]>([
    ['DATABASE_URL', 'postgres://user:p@ss@db:5432/shop?x=http://no', ['db']],
    ['DB_URL', 'jdbc:postgresql://DB.example.com:5432/shop', ['db.example.com']],
    ['MONGO_URL', 'mongodb://u:p@m1:27017,m2:27017,m1:27018/x', ['m1', 'm2']],
    ['ES_URL', 'http://a:9200, http://b:9200', ['a', 'b']],
    ['API_ENDPOINT', 'https://api.stripe.com./v1', ['api.stripe.com']],
    ['API_ENDPOINT', 'otel:4317', ['otel']],
    ['API_URL', 'http://[2001:DB8::1]:80/', ['2001:db8::1']],
    ['DB_HOST', 'db', ['db']],
    ['DB_HOST', 'db:5432', ['db']],
    ['DB_HOST', '10.0.0.7', ['10.0.0.7']],
    ['api_url', 'http://api', ['api']],
  ])('%s=%s: %j', (name, value, expected) => {
    expect(hosts(name, value)).toEqual(expected);
  });

  it.each([
    ['GREETING', 'http://db'],
    ['URL', 'http://db'],
    ['DB_URL', ''],
    ['DB_URL', 'unix:///var/run/x.sock'],
    ['DB_URL', 'file:///etc/passwd'],
    ['DB_URL', '/api/v1'],
    ['BASE_URL', 'v2'],
    ['LISTEN_HOST', '0.0.0.0'],
    ['LISTEN_HOST', '::'],
    ['DB_HOST', 'localhost:5432'],
    ['DB_URL', 'http://127.0.0.1:80'],
    ['DB_URL', 'http://[::1]:80'],
    ['DB_URL', 'http://app.localhost'],
    ['USE_HOST', 'true'],
    ['PORT_HOST', '8080'],
    ['ALLOWED_HOST', '*'],
    ['EVIL_HOST', '$(rm -rf /)'],
    ['LONG_HOST', 'a'.repeat(300)],
  ])('none: %s=%s', (name, value) => {
    expect(hosts(name, value)).toEqual([]);
  });

  it('never gives anything of a password', () => {
    expect(hosts('DB_URL', 'postgres://user:se/cret@db:5432/x').join()).not.toContain('cret');
  });
});
