import { describe, expect, it } from 'vitest';
import { openServiceLog } from './log.ts';

function logOf(log: (to: ReturnType<typeof openServiceLog>) => void): string {
  const lines: string[] = [];
  const config = {
    logLevel: 'info' as const,
    secretKey: 'a "shared" secret of many characters',
    databaseUrl: 'postgres://docyard:p%40ss-of-database@db/docyard',
    model: {
      provider: 'openai' as const,
      url: 'https://models.example.com',
      name: 'm',
      key: 'key-of-the-model',
    },
  };
  log(openServiceLog(config, { write: (line: string) => void lines.push(line) }));
  return lines.join('');
}

describe('a log line', () => {
  it.each([
    ['an API key', 'docyard_LLHfLScW7oxeO4p3imD1Kk1Icc7bkW1EIgTB'],
    ['a webhook secret', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    ['a token of a forge', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['a bearer token', 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc'],
    ['SECRET_KEY', 'a "shared" secret of many characters'],
    ['the password of the database', 'p@ss-of-database'],
    ['the key of the model', 'key-of-the-model'],
  ])('never contains %s', (_name, secret) => {
    const escaped = JSON.stringify(secret).slice(1, -1);
    const text = logOf((log) => {
      log.info({ nested: { deep: `x ${secret} y` } }, `message with ${secret}`);
      log.error({ err: new Error(`failed for ${secret}`, { cause: new Error(secret) }) }, 'failed');
    });
    expect(text).not.toContain(escaped);
    expect(text).toContain('[hidden]');
    for (const line of text.trim().split('\n')) expect(() => void JSON.parse(line)).not.toThrow();
  });

  it('omits the connection of a database error', () => {
    const error = Object.assign(new Error('terminated'), { code: '57P01', client: { host: 'db.internal' } });
    const text = logOf((log) => log.warn({ err: error }, 'trying again'));
    expect(text).toContain('57P01');
    expect(text).not.toContain('db.internal');
  });

  it('hides only the secret parts of URLs', () => {
    const text = logOf((log) => {
      log.info({ url: 'postgres://docyard:hunter2@db.example.com/docyard' });
      log.info({ url: 'https://s3.example.com/b/x?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=0af3&x=1' });
      log.info({ url: 'http://docs.example.com/b/se_1/bundle.tar.gz?v=1&s=hF-33_x' });
      log.info({ url: 'https://user:pass@git.example.com/docs.git' });
    });
    expect(text).toContain('postgres://docyard:[hidden]@db.example.com/docyard');
    expect(text).toContain('X-Amz-Credential=[hidden]&X-Amz-Signature=[hidden]&x=1');
    expect(text).toContain('?v=1&s=[hidden]');
    expect(text).toContain('https://user:[hidden]@git.example.com/docs.git');
  });
});
