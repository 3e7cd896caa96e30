/** Settings: their defaults, their validation and their error messages. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError } from '@docyard/site/errors';
import { readConfig, type Config } from './config.ts';
import { settings } from './config-settings.ts';
import { temporaryFolder } from '../test/support/test-context.ts';

test('every setting has a default', () => {
  expect(readConfig({})).toEqual({
    role: 'all',
    port: 4400,
    host: '127.0.0.1',
    dataDir: resolve('data'),
    databaseUrl: null,
    autoMigrate: true,
    blobsUrl: null,
    secretKey: null,
    secretKeyPrevious: null,
    signingKey: null,
    publicUrl: null,
    previewUrl: null,
    firstUser: null,
    oidc: null,
    tracing: null,
    logLevel: 'info',
    logFormat: null,
    trustProxy: false,
    exportConcurrency: availableParallelism(),
    exportTimeoutSeconds: 900,
    agentConcurrency: 2,
    agentCommand: null,
    agentEnvironment: {},
    agentReadPaths: [],
    sampleRunners: {},
    model: null,
    renderProcesses: availableParallelism(),
    buildCacheBytes: 10e9,
    renderIsolationMin: null,
    linkSeconds: 3600,
    egress: { rules: [], offline: false },
    limits: {
      readsPerMinute: 600,
      writesPerMinute: 60,
      exportStartsPerHour: 10,
      agentInstructionsPerHour: 100,
      queuedJobs: 1000,
      runningPerOrganization: 2,
      bodyBytes: 1_000_000,
      connections: 10_000,
    },
    retention: { exports: 5, days: 30, agentDays: 90, jobDays: 90, analyticsDays: 400 },
    drainSeconds: 0,
    dashboard: true,
  });
});

test('every setting is read', () => {
  const read = readConfig({
    ROLE: 'api',
    PORT: '0',
    HOST: '0.0.0.0',
    DATA_DIR: '/srv/docyard',
    DATABASE_URL: 'postgres://docyard@localhost/docyard',
    AUTO_MIGRATE: 'off',
    BLOBS_URL: 's3://bundles/docyard?endpoint=http://127.0.0.1:9000',
    SECRET_KEY: 'k'.repeat(32),
    SECRET_KEY_PREVIOUS: 'p'.repeat(32),
    SIGNING_KEY: 'RWQ=',
    PUBLIC_URL: 'https://docs.example.com//',
    PREVIEW_URL: 'https://preview.example.com/',
    ADMIN_EMAIL: 'Ada@example.com',
    ADMIN_PASSWORD: 'a lighthouse keeper',
    OIDC_ISSUER: 'https://id.example.com',
    OIDC_CLIENT_ID: 'docyard',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_NAME: 'Harbour ID',
    OIDC_DEFAULT_ROLE: 'member',
    OIDC_EMAIL_DOMAINS: 'example.com, Example.org',
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    TRUST_PROXY: 'on',
    EXPORT_CONCURRENCY: '2',
    EXPORT_TIMEOUT_SECONDS: '11',
    AGENT_CONCURRENCY: '4',
    AGENT_COMMAND: '/usr/bin/node  /opt/agent/main.js ',
    AGENT_ENV: 'GEMINI_API_KEY=any, MODES=plan%2Cedit,BASE_URL={modelUrl}/v1?a=b,EMPTY=,!HOME=/tmp/home',
    AGENT_READ_PATHS: '/opt/tools, /srv/styles/',
    AGENT_SAMPLE_RUNNERS: '{"sh": ["/bin/sh", "-s"]}',
    MODEL_PROVIDER: 'anthropic',
    MODEL_URL: 'https://models.example.com/v1',
    MODEL_NAME: 'writer-1',
    MODEL_KEY: 'secret',
    MODEL_HEADERS: '{"x-team": "docs"}',
    MODEL_OPTIONS: '{"contextTokens": 32768, "temperature": 0.2, "body": {"top_k": 20}}',
    RENDER_ISOLATION_MIN: '2',
    RENDER_PROCESSES: '3',
    BUILD_CACHE_GB: '4',
    LINK_SECONDS: '61',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
    OTEL_SERVICE_NAME: 'docs',
    EGRESS_ALLOW: ' source+forge:git.internal , Gitea:3000,,',
    OFFLINE: 'on',
    LIMIT_READS_PER_MINUTE: '4',
    LIMIT_WRITES_PER_MINUTE: '5',
    LIMIT_EXPORT_STARTS_PER_HOUR: '6',
    LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: '12',
    LIMIT_QUEUED_JOBS: '7',
    LIMIT_RUNNING_PER_ORGANIZATION: '13',
    LIMIT_BODY_BYTES: '8000',
    LIMIT_CONNECTIONS: '14',
    RETENTION_EXPORTS: '9',
    RETENTION_DAYS: '10',
    RETENTION_AGENT_DAYS: '20',
    RETENTION_JOB_DAYS: '20',
    RETENTION_ANALYTICS_DAYS: '21',
    DRAIN_SECONDS: '7',
    DASHBOARD: 'off',
  });
  expect(read).toEqual({
    role: 'api',
    port: 0,
    host: '0.0.0.0',
    dataDir: '/srv/docyard',
    databaseUrl: 'postgres://docyard@localhost/docyard',
    autoMigrate: false,
    blobsUrl: 's3://bundles/docyard?endpoint=http://127.0.0.1:9000',
    secretKey: 'k'.repeat(32),
    secretKeyPrevious: 'p'.repeat(32),
    signingKey: 'RWQ=',
    publicUrl: 'https://docs.example.com',
    previewUrl: 'https://preview.example.com',
    firstUser: { email: 'ada@example.com', password: 'a lighthouse keeper' },
    oidc: {
      issuer: 'https://id.example.com',
      clientId: 'docyard',
      clientSecret: 'secret',
      name: 'Harbour ID',
      defaultRole: 'member',
      emailDomains: ['example.com', 'example.org'],
    },
    tracing: { endpoint: 'http://localhost:4318', service: 'docs' },
    logLevel: 'debug',
    logFormat: 'json',
    trustProxy: true,
    exportConcurrency: 2,
    exportTimeoutSeconds: 11,
    agentConcurrency: 4,
    agentCommand: ['/usr/bin/node', '/opt/agent/main.js'],
    agentEnvironment: {
      GEMINI_API_KEY: 'any',
      MODES: 'plan,edit',
      BASE_URL: '{modelUrl}/v1?a=b',
      EMPTY: '',
      HOME: '/tmp/home',
    },
    agentReadPaths: ['/opt/tools', '/srv/styles'],
    sampleRunners: { sh: ['/bin/sh', '-s'] },
    model: {
      provider: 'anthropic',
      url: 'https://models.example.com/v1',
      name: 'writer-1',
      key: 'secret',
      headers: { 'x-team': 'docs' },
      contextTokens: 32_768,
      temperature: 0.2,
      body: { top_k: 20 },
    },
    renderProcesses: 3,
    buildCacheBytes: 4e9,
    renderIsolationMin: 2,
    linkSeconds: 61,
    egress: {
      rules: [
        { host: 'git.internal', purposes: ['source', 'forge'], owner: null },
        { host: 'gitea:3000', purposes: null, owner: null },
      ],
      offline: true,
    },
    limits: {
      readsPerMinute: 4,
      writesPerMinute: 5,
      exportStartsPerHour: 6,
      agentInstructionsPerHour: 12,
      queuedJobs: 7,
      runningPerOrganization: 13,
      bodyBytes: 8000,
      connections: 14,
    },
    retention: { exports: 9, days: 10, agentDays: 20, jobDays: 20, analyticsDays: 21 },
    drainSeconds: 7,
    dashboard: false,
  });
});

describe('an invalid value', () => {
  const wrong: Record<keyof typeof settings, string[]> = {
    ROLE: ['both', 'API'],
    PORT: ['x', '-1', '65536', '1.5'],
    HOST: [],
    DATA_DIR: [],
    DATABASE_URL: ['mysql://root:secret@db/docyard', 'secret.db'],
    BLOBS_URL: ['https://bundles', 's3:///bundles', 'file://host/bundles', 'file:///', 'bundles'],
    SECRET_KEY: ['seagull'],
    SECRET_KEY_PREVIOUS: ['seagull'],
    SIGNING_KEY: [],
    PREVIEW_URL: ['preview.example.com', 'https://preview.example.com/path'],
    PUBLIC_URL: ['docs.example.com', 'ftp://docs.example.com', 'javascript:alert(1)'],
    ADMIN_EMAIL: ['ada', 'ada@'],
    ADMIN_PASSWORD: ['seagull'],
    OIDC_ISSUER: ['id.example.com', 'ldap://id.example.com'],
    OIDC_CLIENT_ID: [],
    OIDC_CLIENT_SECRET: [],
    OIDC_NAME: ['x'.repeat(41)],
    OIDC_DEFAULT_ROLE: ['owner', 'root'],
    OIDC_EMAIL_DOMAINS: [],
    LOG_LEVEL: ['loud', 'INFO'],
    LOG_FORMAT: ['xml'],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', 'grpc://collector:4317'],
    TRUST_PROXY: ['maybe', '2', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.1,,10.0.0.2', 'proxy.internal'],
    EXPORT_CONCURRENCY: ['0', '65', 'two'],
    EXPORT_TIMEOUT_SECONDS: ['9', '86401'],
    AGENT_CONCURRENCY: ['0', '65', 'two'],
    AGENT_COMMAND: ['node agent.js'],
    AGENT_ENV: ['writer', '1NAME=a', 'A-B=c', 'A=1,A=2', 'PATH=/opt/bin', 'A=1,HOME=/root', '!!HOME=/root'],
    AGENT_READ_PATHS: ['tools', '/opt/a,b', '/', '/home', '/tmp', '/proc/self', '/dev'],
    AGENT_SAMPLE_RUNNERS: [
      'bash',
      '[]',
      '{"sh": "/bin/sh"}',
      '{"sh": []}',
      '{"Sh": ["/bin/sh"]}',
      '{"sh": ["sh"]}',
      '{"sh": ["/bin/no-such-shell"]}',
      '{"sh": ["/usr/bin"]}',
      `{"sh": ["${import.meta.filename}"]}`,
    ],
    MODEL_PROVIDER: ['other'],
    MODEL_URL: ['models.example.com', 'ftp://models.example.com'],
    MODEL_NAME: [],
    MODEL_KEY: [],
    MODEL_HEADERS: ['x-team: docs', '[]', '{"host": "a"}', '{"Content-Length": "1"}', '{"x": "a\\nb"}'],
    MODEL_OPTIONS: [
      'contextTokens',
      '{"contextTokens": 0}',
      '{"temperature": 3}',
      '{"idleSeconds": 0}',
      '{"top_k": 20}',
      '{"body": {"messages": []}}',
      '{"body": {"stream": false}}',
    ],
    RENDER_PROCESSES: ['0', '257'],
    BUILD_CACHE_GB: ['-1', 'much'],
    RENDER_ISOLATION_MIN: ['4', '-1', 'full'],
    LINK_SECONDS: ['59', '604801'],
    EGRESS_ALLOW: ['modle:gpu.internal', 'source:https://git.internal', 'source:git.internal@team'],
    OFFLINE: ['perhaps', '2'],
    LIMIT_READS_PER_MINUTE: ['0'],
    LIMIT_WRITES_PER_MINUTE: ['-5'],
    LIMIT_EXPORT_STARTS_PER_HOUR: ['0'],
    LIMIT_AGENT_INSTRUCTIONS_PER_HOUR: ['0'],
    LIMIT_QUEUED_JOBS: ['none'],
    LIMIT_RUNNING_PER_ORGANIZATION: ['0'],
    LIMIT_BODY_BYTES: ['999'],
    LIMIT_CONNECTIONS: ['0'],
    RETENTION_EXPORTS: ['0'],
    RETENTION_DAYS: ['0', '40000'],
    RETENTION_AGENT_DAYS: ['0', '40000'],
    RETENTION_JOB_DAYS: ['0', '40000'],
    RETENTION_ANALYTICS_DAYS: ['0', '4000'],
    DRAIN_SECONDS: ['-1', '601', 'long'],
    AUTO_MIGRATE: ['later'],
    DASHBOARD: ['hidden', '2'],
  };
  const cases = Object.entries(wrong).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );

  test.each(cases)(
    '%s=%s is an error that contains the name and the meaning of the setting',
    (name, value) => {
      const read = () => readConfig({ [name]: value });
      const { meaning, ...setting } = settings[name as keyof typeof settings];
      expect(read).toThrow(ConfigError);
      expect(read).toThrow('Invalid configuration:');
      expect(read).toThrow('secret' in setting ? `  ${name}: ` : `  ${name}=${value}: `);
      expect(read).toThrow(meaning);
      if ('secret' in setting) expect(read).not.toThrow(value);
    },
  );

  test('all invalid values are reported together', () => {
    let message = '';
    try {
      readConfig({ PORT: 'x', LOG_LEVEL: 'loud' });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n')).toHaveLength(3);
  });
});

test('a previous key without a current one is refused', () => {
  expect(() => readConfig({ SECRET_KEY_PREVIOUS: 'p'.repeat(32) })).toThrow(
    'SECRET_KEY_PREVIOUS is set without SECRET_KEY.',
  );
});

describe('a model endpoint', () => {
  const MODEL_URL = 'https://models.example.com/v1';

  test('requires the name of a model', () => {
    expect(() => readConfig({ MODEL_URL })).toThrow('MODEL_URL needs MODEL_NAME');
  });
});

describe('an external agent', () => {
  const MODEL_KEY = 'sk-model-of-the-service';

  test('a secret of the service is refused in AGENT_ENV without being quoted', () => {
    const read = () => readConfig({ MODEL_KEY, AGENT_ENV: `OPENAI_API_KEY=${MODEL_KEY}` });
    expect(read).toThrow(/^AGENT_ENV: OPENAI_API_KEY contains the value of MODEL_KEY/);
    expect(read).not.toThrow(MODEL_KEY);
  });

  test('a secret of the service that is read from a file is refused in AGENT_ENV', () => {
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, MODEL_KEY);
    expect(() => readConfig({ MODEL_KEY_FILE: file, AGENT_ENV: `KEY=x-${MODEL_KEY}` })).toThrow('MODEL_KEY');
  });

  test('the data folder and files with secrets cannot be read by an agent', () => {
    const folder = temporaryFolder();
    for (const name of ['data', 'secrets', 'tools']) mkdirSync(join(folder, name));
    symlinkSync(join(folder, 'data'), join(folder, 'link'));
    const file = join(folder, 'secrets', 'key');
    writeFileSync(file, MODEL_KEY);
    const read = (path: string) =>
      readConfig({ DATA_DIR: join(folder, 'data'), MODEL_KEY_FILE: file, AGENT_READ_PATHS: path });
    for (const path of ['', 'data', 'data/blobs', 'link', 'secrets', 'secrets/key']) {
      expect(() => read(join(folder, path))).toThrow(/^AGENT_READ_PATHS: .* exposes /);
    }
    expect(read(join(folder, 'tools')).agentReadPaths).toEqual([join(folder, 'tools')]);
  });
});

describe('settings that belong together', () => {
  test.each(['ADMIN_EMAIL', 'ADMIN_PASSWORD'])('%s is refused without the other', (name) => {
    expect(() => readConfig({ [name]: 'operator@example.com' })).toThrow('must be set together');
  });

  test.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID'])(
    '%s is refused without the other setting of the issuer',
    (name) => {
      expect(() => readConfig({ [name]: 'https://id.example.com' })).toThrow('must be set together');
    },
  );
});

describe('a secret in a file', () => {
  const secrets = Object.entries(settings).flatMap(([name, setting]) => ('secret' in setting ? [name] : []));

  test('is read like a variable, without the final newline', () => {
    expect(secrets).toEqual([
      'DATABASE_URL',
      'SECRET_KEY',
      'SECRET_KEY_PREVIOUS',
      'SIGNING_KEY',
      'ADMIN_PASSWORD',
      'OIDC_CLIENT_SECRET',
      'AGENT_ENV',
      'MODEL_KEY',
      'MODEL_HEADERS',
    ]);
    const folder = temporaryFolder();
    const file = join(folder, 'secret');
    writeFileSync(file, 'postgres://docyard:secret@db/docyard\n');
    const headers = join(folder, 'headers');
    writeFileSync(headers, '{"x-team": "docs"}\n');
    const agent = join(folder, 'agent');
    writeFileSync(agent, 'MODE=plan\n');
    const inFiles = {
      ...Object.fromEntries(secrets.map((name) => [`${name}_FILE`, file])),
      MODEL_HEADERS_FILE: headers,
      AGENT_ENV_FILE: agent,
    };
    const read = readConfig({
      MODEL_URL: 'https://models.example.com',
      MODEL_NAME: 'writer-1',
      ADMIN_EMAIL: 'ada@example.com',
      OIDC_ISSUER: 'https://id.example.com',
      OIDC_CLIENT_ID: 'docyard',
      ...inFiles,
    });
    const { databaseUrl, secretKey, secretKeyPrevious, signingKey, firstUser, oidc, model } = read;
    const given = [
      databaseUrl,
      secretKey,
      secretKeyPrevious,
      signingKey,
      firstUser?.password,
      oidc?.clientSecret,
      model?.key,
    ];
    expect(model?.headers).toEqual({ 'x-team': 'docs' });
    expect(read.agentEnvironment).toEqual({ MODE: 'plan' });
    for (const value of given) {
      expect(value).toBe('postgres://docyard:secret@db/docyard');
    }
  });

  test.each(secrets)('%s_FILE is refused when the file cannot be read', (name) => {
    const file = join(temporaryFolder(), 'none');
    expect(() => readConfig({ [`${name}_FILE`]: file })).toThrow(
      `${name}_FILE=${file} cannot be read: no such file or folder (ENOENT).`,
    );
  });

  test('must not be empty', () => {
    const file = join(temporaryFolder(), 'empty');
    writeFileSync(file, '\n');
    expect(() => readConfig({ SECRET_KEY_FILE: file })).toThrow(`SECRET_KEY_FILE=${file} is empty.`);
  });

  test('is refused together with the same secret in a variable', () => {
    const both = { MODEL_KEY: 'secret', MODEL_KEY_FILE: '/run/secrets/key' };
    expect(() => readConfig(both)).toThrow('MODEL_KEY and MODEL_KEY_FILE are both set. Remove one of them.');
  });

  test('is not quoted when it is invalid', () => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, 'too short');
    expect(() => readConfig({ SECRET_KEY_FILE: file })).toThrow('SECRET_KEY: must have at least 32');
    expect(() => readConfig({ SECRET_KEY_FILE: file })).not.toThrow('too short');
  });

  test('is supported for secrets only', () => {
    expect(readConfig({ PORT_FILE: '/no/such/file' })).toEqual(readConfig({}));
  });
});

describe('a process with one role', () => {
  const shared = {
    DATABASE_URL: 'postgres://db/docyard',
    BLOBS_URL: 'file:///mnt/bundles',
    SECRET_KEY: 'k'.repeat(32),
  };

  test.each(['api', 'worker'])('ROLE=%s is accepted with all shared settings', (ROLE) => {
    expect(readConfig({ ROLE, ...shared }).role).toBe(ROLE);
  });

  test.each(Object.keys(shared))('is refused without %s', (name) => {
    const read = () => readConfig({ ROLE: 'worker', ...shared, [name]: undefined });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(
      new RegExp(`^ROLE=worker shares its data with processes of the other role\\. Also set ${name} `),
    );
  });
});

test('empty and unknown variables are ignored', () => {
  const read = readConfig({ PORT: '', LOG_LEVEL: undefined, PATH: '/bin', toString: 'x', PORTS: '1' });
  expect(read).toEqual(readConfig({}));
});

test('there are at most 58 settings, each with a sentence that explains it', () => {
  expect(Object.keys(settings).length).toBeLessThanOrEqual(58);
  for (const { meaning } of Object.values(settings)) expect(meaning).toMatch(/^[A-Z].*\.$/);
});

test('OFFLINE refuses a setting that names another machine', () => {
  const shared = { OFFLINE: 'on', DATA_DIR: '/srv/docyard' };
  for (const [name, address] of Object.entries({
    DATABASE_URL: 'postgres://docyard:secret@db.internal/docyard',
    BLOBS_URL: 's3://bundles/docyard?region=eu-north-1',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  })) {
    const read = (): Config => readConfig({ ...shared, [name]: address });
    expect(read).toThrow(
      new RegExp(`^OFFLINE is on: \\S+ is not contacted\\. ${name} names another machine`),
    );
    expect(read).not.toThrow('secret');
    expect(() => readConfig({ ...shared, OFFLINE: 'off', [name]: address })).not.toThrow();
  }
});
