import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { agentStatuses, exportStatuses } from './constants.ts';
import * as schemas from './schemas.ts';

function complaintsOf(schema: z.ZodType, value: unknown): string[] {
  return (schema.safeParse(value).error?.issues ?? []).map((issue) => issue.message);
}

function accepts(schema: z.ZodType, value: unknown): boolean {
  return schema.safeParse(value).success;
}

const wanted = 'Use the bare host name, for example docs.example.com';
const start = (more: object) => ({ domain: 'docs.example.com', ...more });
const source = { repository: 'https://git.example.com/docs.git' };

describe('Domain', () => {
  it.each([
    ['docs.example.com', 'docs.example.com'],
    ['DOCS.Example.COM', 'docs.example.com'],
    ['  docs.example.com\n', 'docs.example.com'],
    ['localhost', 'localhost'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('takes %j as %j', (given, kept) => {
    expect(schemas.Domain.parse(given)).toBe(kept);
  });

  it.each([
    ['', `The domain is empty. ${wanted}.`],
    ['   ', `The domain is empty. ${wanted}.`],
    ['https://docs.example.com', `The domain must not contain a scheme. ${wanted}, without https://.`],
    ['HTTPS://docs.example.com/guide', `The domain must not contain a scheme. ${wanted}, without https://.`],
    ['docs.example.com/', `The domain must not contain a path. ${wanted}, without a slash.`],
    ['docs.example.com/guide', `The domain must not contain a path. ${wanted}, without a slash.`],
    ['docs.example.com?x=1', `The domain must not contain a path. ${wanted}, without a slash.`],
    ['docs.example.com:8080', `The domain must not contain a port. ${wanted}, without a colon and number.`],
    ['docs.example.com:', `The domain must not contain a port. ${wanted}, without a colon and number.`],
    ['docs example com', `This is not a host name. ${wanted}.`],
    ['docs..example.com', `This is not a host name. ${wanted}.`],
    ['docs.example.com.', `This is not a host name. ${wanted}.`],
    ['-docs.example.com', `This is not a host name. ${wanted}.`],
    ['me@docs.example.com', `This is not a host name. ${wanted}.`],
    ['bücher.example', `This is not a host name. ${wanted}.`],
    [`${'a'.repeat(64)}.example`, `This is not a host name. ${wanted}.`],
    [Array.from({ length: 64 }, () => 'abc').join('.'), `This is not a host name. ${wanted}.`],
  ])('refuses %j and says why', (given, complaint) => {
    expect(complaintsOf(schemas.Domain, given)).toEqual([complaint]);
  });

  it('a very long domain is refused quickly', () => {
    const begun = performance.now();
    expect(accepts(schemas.Domain, 'a-'.repeat(500_000))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe('request bodies', () => {
  it.each([
    ['StartExport', schemas.StartExport, start({})],
    ['CreateBundle', schemas.CreateBundle, {}],
    ['CreateProject', schemas.CreateProject, { name: 'Docs', domain: 'docs.example.com', source }],
    ['UpdateProject', schemas.UpdateProject, { name: 'Docs' }],
    ['Source', schemas.Source, source],
    ['CreateKey', schemas.CreateKey, { name: 'CI' }],
    ['RollKey', schemas.RollKey, {}],
  ] as const)('%s takes its least form and refuses a field it does not know', (_name, schema, least) => {
    expect(accepts(schema, least)).toBe(true);
    expect(complaintsOf(schema, { ...least, surprise: 1 })).toEqual(['Unrecognized key: "surprise"']);
  });
});

describe('StartExport', () => {
  it('an export needs a domain, which is converted to lower case', () => {
    expect(schemas.StartExport.safeParse({}).error?.issues[0]?.path).toEqual(['domain']);
    expect(schemas.StartExport.parse({ domain: 'Docs.Example.com' })).toEqual({ domain: 'docs.example.com' });
  });

  it.each([
    ['version', 'v'.repeat(128), 'v'.repeat(129)],
    ['version', 'v', ''],
    ['paths', ['index'], []],
    ['paths', ['p'.repeat(1024)], ['p'.repeat(1025)]],
    ['paths', Array.from({ length: 10_000 }, () => 'p'), Array.from({ length: 10_001 }, () => 'p')],
    ['ref', 'r'.repeat(255), 'r'.repeat(256)],
    ['ref', 'feature/new-docs', '--upload-pack=touch /tmp/x'],
    ['ref', 'v1.0', 'two words'],
    ['basePath', '/docs/v2', '/docs/'],
    ['basePath', '/', 'docs'],
    ['basePath', '/v1..2', '/docs/../admin'],
    ['urlStyle', 'directory', 'pretty'],
    ['groups', Array.from({ length: 100 }, () => 'g'), Array.from({ length: 101 }, () => 'g')],
    ['strict', true, 'true'],
    ['metadata', { build: '7' }, { build: 7 }],
    ['metadata', { k: 'v'.repeat(512) }, { k: 'v'.repeat(513) }],
    ['metadata', { ['k'.repeat(64)]: '' }, { ['k'.repeat(65)]: '' }],
    ['metadata', entries(20), entries(21)],
  ])('holds %s to its limits', (field, good, bad) => {
    expect(accepts(schemas.StartExport, start({ [field]: good }))).toBe(true);
    const refused = schemas.StartExport.safeParse(start({ [field]: bad }));
    expect(refused.error?.issues[0]?.path[0]).toBe(field);
  });
});

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
}

describe('CreateBundle', () => {
  it.each([60, 3600, 604_800])('a link lifetime of %i seconds is accepted', (ttlSeconds) => {
    expect(accepts(schemas.CreateBundle, { ttlSeconds })).toBe(true);
  });

  it.each([59, 604_801, 61.5, '3600', null])('a link lifetime of %j is refused', (ttlSeconds) => {
    expect(accepts(schemas.CreateBundle, { ttlSeconds })).toBe(false);
  });
});

describe('projects', () => {
  it('a change without a field is refused', () => {
    expect(complaintsOf(schemas.UpdateProject, {})).toEqual([
      'Set at least one field to change: name, domain, source, agent, exports or pullRequests.',
    ]);
  });

  it('a name of spaces is refused', () => {
    expect(accepts(schemas.UpdateProject, { name: '   ' })).toBe(false);
  });

  it.each([null, undefined, '', 'docs', './a/b', 'v1..2'])('the folder %j is accepted', (directory) => {
    expect(accepts(schemas.Source, { ...source, directory })).toBe(true);
  });

  it.each(['..', '../other', 'docs/../../other', 'docs\\..\\other'])(
    'the folder %j is refused',
    (directory) => {
      expect(complaintsOf(schemas.Source, { ...source, directory })).toEqual([
        'The path must not contain "..".',
      ]);
    },
  );

  it('a ref that git would read as an option is refused', () => {
    expect(complaintsOf(schemas.Source, { ...source, ref: '-x' })).toEqual([
      'A ref must not begin with a dash or contain spaces.',
    ]);
  });
});

describe('CreateKey', () => {
  it.each([7, 30, 60, 90, null, undefined])('an expiry of %j days is accepted', (expiresInDays) => {
    expect(accepts(schemas.CreateKey, { name: 'CI', expiresInDays })).toBe(true);
  });

  it.each([0, 8, 365, '30'])('an expiry of %j days is refused', (expiresInDays) => {
    expect(accepts(schemas.CreateKey, { name: 'CI', expiresInDays })).toBe(false);
  });

  it('a key without a scope or with an unknown scope is refused', () => {
    expect(accepts(schemas.CreateKey, { name: 'CI', scopes: [] })).toBe(false);
    expect(accepts(schemas.CreateKey, { name: 'CI', scopes: ['root'] })).toBe(false);
  });

  it.each(['203.0.113.7', '203.0.113.0/24', '2001:db8::1', '2001:db8::/32'])(
    'takes the address %s',
    (address) => {
      expect(accepts(schemas.CreateKey, { name: 'CI', allowedAddresses: [address] })).toBe(true);
    },
  );

  it.each(['office', '203.0.113', '203.0.113.0/33', ''])('the address %j is refused', (address) => {
    expect(complaintsOf(schemas.CreateKey, { name: 'CI', allowedAddresses: [address] })).toEqual([
      'This is not an IP address or CIDR range.',
    ]);
  });
});

describe('RollKey', () => {
  it('the overlap is at most one week', () => {
    expect(accepts(schemas.RollKey, { overlapSeconds: 0 })).toBe(true);
    expect(accepts(schemas.RollKey, { overlapSeconds: 604_800 })).toBe(true);
    expect(accepts(schemas.RollKey, { overlapSeconds: 604_801 })).toBe(false);
    expect(accepts(schemas.RollKey, { overlapSeconds: -1 })).toBe(false);
  });
});

describe('Page.limit', () => {
  it.each([
    ['1', 1],
    ['100', 100],
  ])('reads %j from the address as %i', (given, kept) => {
    expect(schemas.Page.limit.parse(given)).toBe(kept);
  });

  it.each(['0', '101', '1.5', 'many', ''])('the limit %j is refused', (given) => {
    expect(accepts(schemas.Page.limit, given)).toBe(false);
  });
});

describe('records', () => {
  it('an unknown field of a record is accepted', () => {
    const bundle = {
      jobId: 'se_1',
      bundleUrl: 'https://docs.example.com/bundle',
      sizeBytes: 1,
      expiresAt: '2030-01-01T00:00:00Z',
      sha256: 'a'.repeat(64),
    };
    expect(accepts(schemas.Bundle, { ...bundle, later: true })).toBe(true);
    expect(accepts(schemas.Bundle, { ...bundle, sha256: 'A'.repeat(64) })).toBe(false);
    expect(accepts(schemas.Bundle, { ...bundle, expiresAt: '2030-01-01T00:00:00+01:00' })).toBe(false);
  });

  it('the agent statuses are those of the specification', () => {
    expect(agentStatuses).toEqual(['active', 'completed', 'archived', 'failed']);
  });

  it('the final statuses of an export are completed and failed', () => {
    expect(exportStatuses).toEqual(['queued', 'running', 'completed', 'failed']);
  });
});
