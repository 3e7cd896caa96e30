import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Preview, previewSite } from '@docyard/render';
import { afterEach, expect, test } from 'vitest';
import { type Edit, type PageState, PreviewSession } from './session.ts';

const previews: Preview[] = [];
afterEach(() => {
  for (const preview of previews.splice(0)) {
    preview.close();
    rmSync(preview.site.root, { recursive: true, force: true });
  }
});

const page = (title: string, text: string): string => `---\ntitle: ${title}\n---\n\n${text}\n`;

async function started() {
  const root = mkdtempSync(join(tmpdir(), 'docyard-preview-'));
  const write = (file: string, text: string): void => writeFileSync(join(root, file), text);
  const navigation = { pages: ['index', 'other'] };
  write('docs.json', JSON.stringify({ name: 'Harbour', navigation }));
  write('index.mdx', page('Start', 'First text.'));
  write('other.mdx', page('Other', 'Other text.'));
  const preview = await previewSite({ root });
  previews.push(preview);
  const edits: Edit[] = [];
  const session = new PreviewSession(
    preview,
    (edit) => edits.push(edit),
    (fault) => expect.fail(String(fault)),
  );
  const states: PageState[] = [];
  session.join({ address: 'index.html', send: (state) => states.push(state) });
  await expect.poll(() => states.length, { timeout: 30_000 }).toBe(1);
  const edit = async (
    file: string,
    text: string,
  ): Promise<{ state: PageState | undefined; edit: Edit | undefined }> => {
    write(file, text);
    await session.changed([file]);
    return { state: states.at(-1), edit: edits.at(-1) };
  };
  return { session, states, edit };
}

test('the version of a page changes exactly when its rendered content changes', async () => {
  const { states, edit } = await started();
  const before = states[0]?.version;
  expect((await edit('other.mdx', page('Other', 'Changed.'))).state?.version).toBe(before);
  const { state } = await edit('index.mdx', page('Start', 'Second text.'));
  expect(state?.version).not.toBe(before);
  expect((await edit('index.mdx', page('Start', 'First text.'))).state?.version).toBe(before);
  expect((await edit('other.mdx', page('Renamed', 'Changed.'))).state?.version).not.toBe(before);
});

test('a finding is reported once when it appears and once when it is solved', async () => {
  const { edit } = await started();
  const broken = await edit('index.mdx', page('Start', '<Unheard />\n\n[There](/nowhere)'));
  expect(broken.edit?.appeared.map(({ code }) => code)).toEqual(['component_unknown', 'broken_link']);
  expect(broken.state?.findings).toHaveLength(2);
  const half = await edit('index.mdx', page('Start', 'A line more.\n\n<Unheard />'));
  expect(half.edit).toMatchObject({ appeared: [], solved: 1 });
  const mended = await edit('index.mdx', page('Start', 'Fine.'));
  expect(mended.edit).toMatchObject({ appeared: [], solved: 1 });
  expect(mended.state?.findings).toEqual([]);
});

test('a page that is edited but not open is checked too', async () => {
  const { edit } = await started();
  const { edit: update } = await edit('other.mdx', page('Other', '<Unheard />'));
  expect(update?.appeared.map(({ file, code }) => [file, code])).toEqual([
    ['other.mdx', 'component_unknown'],
  ]);
});

test('an invalid configuration is reported until it is fixed', async () => {
  const { states, edit } = await started();
  const { version } = states[0] ?? {};
  const broken = await edit('docs.json', '{ "name" ');
  expect(broken.state).toMatchObject({ version, problem: { code: 'config_syntax', file: 'docs.json' } });
  expect(broken.edit?.problem?.code).toBe('config_syntax');
  const mended = await edit(
    'docs.json',
    JSON.stringify({ name: 'Harbour', navigation: { pages: ['index'] } }),
  );
  expect(mended.state?.problem).toBeNull();
});

test('new classes of a page update the stylesheet', async () => {
  const { edit } = await started();
  const { state } = await edit(
    'index.mdx',
    page('Start', '<div className="mt-8" style={{ color: "red" }}>Red</div>'),
  );
  expect(state?.files).toContain('_docyard/site.css');
  expect((await edit('index.mdx', page('Start', 'Plain.'))).state?.files).toEqual([]);
});
