import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-bench.ts';
import type { Code } from '../contract.ts';
import { checkEvidence, type EvidenceFacts } from './check-evidence.ts';
import type { Evidence } from './evidence.ts';

const commit = '1a2b3c4d5e6f78901a2b3c4d5e6f78901a2b3c4d';
const repository = 'https://git.example.com/api.git';
const code = bench({
  'api/src/main.ts': 'export const port = 8080;\nexport const host = "0.0.0.0";\n',
  'api/logo.bin': '\0\0\n',
}).context.tree;
const docs = bench({
  'index.mdx': 'The server listens on\nport 8080.\n\nOld words stay.\n',
  'guides/start.mdx': 'Start.\n',
}).context.tree;

const changed = {
  path: 'index.mdx',
  before: 'Old words stay.\n',
  after: 'The server listens on\nport 8080.\n\nOld words stay.\n',
  addedLines: 3,
};
const statement = 'The server listens on port 8080.';

function check(given: Partial<Evidence>[], more: Partial<EvidenceFacts> = {}) {
  const repositories: Code['repositories'] = [{ name: 'api', repository, paths: [], commit }];
  const evidence = given.map((one) => ({ page: 'index.mdx', statement, sources: [], ...one }));
  const facts = { files: [changed], docs, code: { repositories, tree: code }, isRequired: true, earlier: [] };
  return checkEvidence(evidence, { ...facts, ...more });
}

const messages = async (given: Partial<Evidence>[], more: Partial<EvidenceFacts> = {}) =>
  (await check(given, more)).problems.map(({ message }) => message);

describe('evidence', () => {
  test.each([
    ['api/src/main.ts#L1', 1, 1],
    [`api@${commit}:src/main.ts#L1-L2`, 1, 2],
    ['api@1a2b3c4:src/main.ts#L1-2', 1, 2],
  ])('%s names lines of the pinned commit', async (source, fromLine, toLine) => {
    const { evidence, problems } = await check([{ sources: [source] }]);
    expect(problems).toEqual([]);
    const found = { code: { name: 'api', repository, commit }, path: 'src/main.ts', fromLine, toLine };
    expect(evidence).toEqual([{ page: 'index.mdx', statement, sources: [found] }]);
  });

  test('may name lines of another page', async () => {
    const { evidence, problems } = await check([{ sources: ['guides/start.mdx#L1'] }]);
    expect(problems).toEqual([]);
    expect(evidence[0]?.sources[0]?.code).toBeNull();
  });

  test.each([
    ['api/src/main.ts', 'It names no lines.'],
    ['api/src/main.ts#L0', 'Its lines are not a range.'],
    ['api/src/main.ts#L2-L1', 'Its lines are not a range.'],
    ['api/src/main.ts#L3', 'The file has only 2 lines.'],
    ['api/src/other.ts#L1', 'The file does not exist.'],
    ['api/logo.bin#L1', 'The file is not text.'],
    ['api@deadbeef:src/main.ts#L1', 'This run reads api at 1a2b3c4d5e6f.'],
    ['api@main:src/main.ts#L1', 'This run reads api at 1a2b3c4d5e6f.'],
    ['api@:src/main.ts#L1', 'This run reads api at 1a2b3c4d5e6f.'],
    ['web@1a2b3c4:src/main.ts#L1', 'The project has no context repository of this name.'],
    ['../../etc/passwd#L1', 'The file does not exist.'],
    ['api@1a2b3c4:../../../etc/passwd#L1', 'The file does not exist.'],
    ['/etc/passwd#L1', 'The file does not exist.'],
    ['index.mdx#L1', 'is a page that this change writes'],
  ])('with the source %s is wrong', async (source, reason) => {
    const [wrong = '', missing] = await messages([{ sources: [source] }]);
    expect(wrong).toContain(reason);
    expect(missing).toBe('No evidence supports what has changed in this page.');
  });

  test.each([
    [{ statement: 'The server listens on port 80.' }, 'The page does not contain the quote'],
    [{ statement: 'Old words stay.' }, 'has not changed'],
    [{ statement: 'The' }, 'too short'],
    [{ page: 'guides/start.mdx' }, 'which has not changed'],
  ])('about %j is wrong', async (given, reason) => {
    const [wrong = ''] = await messages([{ sources: ['api/src/main.ts#L1'], ...given }]);
    expect(wrong).toContain(reason);
  });

  test('without a source does not count', async () => {
    expect(await messages([{}])).toHaveLength(2);
  });
});

describe('a changed page', () => {
  test('without evidence is a problem only where it is required', async () => {
    expect(await messages([])).toEqual(['No evidence supports what has changed in this page.']);
    expect(await messages([], { isRequired: false })).toEqual([]);
  });

  test('that only lost text, and another file, need none', async () => {
    const shorter = { ...changed, addedLines: 0 };
    expect(await messages([], { files: [shorter, { ...changed, path: 'docs.json' }] })).toEqual([]);
  });

  test('keeps the evidence of an earlier run while its statement is there', async () => {
    const earlier = [{ page: 'index.mdx', statement, sources: [] }];
    expect(await messages([], { earlier })).toEqual([]);
    const rewritten = { ...changed, after: 'The server listens on another port.\n' };
    expect(await messages([], { earlier, files: [rewritten] })).toHaveLength(1);
  });
});
