import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { docyard } from '../../test/support/run-command.ts';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';

const file = `version: 1
automations:
  - name: api-docs
    on: { merged: { repository: acme/api, paths: [src/**] } }
    instructions: Document {{pullRequest.title}}.
  - name: weekly
    on: { schedule: { cron: "0 6 * * MON" } }
    instructions: Check the tutorials at {{scheduledAt}}.
`;

function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder('automations');
  writeFiles(folder, {
    'docs.json': '{"name":"Site","navigation":["index"]}',
    'index.mdx': '# Hi',
    ...files,
  });
  return folder;
}

const usual = { '.docyard/automations.yaml': file };

describe('docyard automations test', () => {
  test('lists the automations of a valid file', async () => {
    const { status, stdout } = await docyard('automations', 'test', folderWith(usual));
    expect(status).toBe(0);
    expect(stdout).toContain('A pull request of acme/api is merged, changing src/**');
    expect(stdout).toContain('Schedule 0 6 * * MON (UTC)');
  });

  test('shows what an event starts, and why others do not start', async () => {
    const merged = {
      repository: 'https://git.example.com/acme/api',
      title: 'Add a flag',
      changedPaths: ['src/a.ts'],
    };
    const folder = folderWith({ ...usual, 'event.json': JSON.stringify({ merged }) });
    const { status, stdout } = await docyard(
      'automations',
      'test',
      folder,
      '--event',
      join(folder, 'event.json'),
    );
    expect(status).toBe(0);
    expect(stdout).toContain('api-docs starts with this instruction:');
    expect(stdout).toContain('  Document (see pullRequest.title below).');
    expect(stdout).toContain('weekly does not start. Its trigger is schedule, not merged.');
  });

  test('prints JSON', async () => {
    const merged = { repository: 'https://git.example.com/acme/api', changedPaths: ['lib/a.ts'] };
    const folder = folderWith({ ...usual, 'event.json': JSON.stringify({ merged }) });
    const { stdout } = await docyard(
      'automations',
      'test',
      folder,
      '--event',
      join(folder, 'event.json'),
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [
        { automation: 'api-docs', starts: false, reason: 'The pull request changed nothing in src/**.' },
        {},
      ],
    });
  });

  test('shows the instruction of one automation', async () => {
    const { stdout } = await docyard('automations', 'test', folderWith(usual), '--automation', 'weekly');
    expect(stdout).toMatch(/weekly starts with this instruction:\n\n {2}Check the tutorials at \d{4}-/);
    expect(stdout).not.toContain('api-docs');
  });

  test('ends with status 7 and the line of a mistake', async () => {
    const folder = folderWith({ '.docyard/automations.yaml': file.replace('title', 'tittle') });
    const { status, stdout } = await docyard('automations', 'test', folder);
    expect(status).toBe(7);
    expect(stdout).toContain(
      '.docyard/automations.yaml:5: automations[0].instructions: There is no placeholder',
    );
  });

  test.each([
    ['a folder without the file', {}, [], 'Create it beside docs.json.'],
    ['an unknown automation', usual, ['--automation', 'other'], 'Known: api-docs, weekly.'],
    ['a missing event', usual, ['--event', '/missing.json'], 'cannot read /missing.json'],
  ])('refuses %s', async (_what, files, options, message) => {
    const { status, stderr } = await docyard('automations', 'test', folderWith(files), ...options);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });
});

test('docyard check reports mistakes of the file with their line', async () => {
  const folder = folderWith({ '.docyard/automations.yaml': 'version: 1\nautomation: []\n' });
  const { status, stdout } = await docyard('check', folder, '--quiet', '--format', 'json');
  expect(status).toBe(7);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: object[] };
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ code: 'automations_invalid', file: '.docyard/automations.yaml', line: 2 }),
  );
});
