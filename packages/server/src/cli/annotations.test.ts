/** Findings as GitHub reads them: its own escapes, paths from the checkout, and silence everywhere else. */
import { afterEach, expect, test, vi } from 'vitest';
import { annotate } from './annotations.ts';

afterEach(() => vi.restoreAllMocks());

function annotated(findings: Parameters<typeof annotate>[0], environment: Record<string, string>): string[] {
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  annotate(findings, '/checkout/docs', environment);
  return lines;
}

const onGitHub = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: '/checkout' };
const finding = {
  severity: 'warning' as const,
  code: 'broken_link',
  message: 'The link "/a" leads nowhere',
  file: 'guides/start.mdx',
  line: 3,
  column: 7,
};

test('a finding names its file from the checkout, its line and its code', () => {
  expect(annotated([{ ...finding, hint: 'Mend it.' }], onGitHub)).toEqual([
    '::warning file=docs/guides/start.mdx,line=3,col=7,title=broken_link::The link "/a" leads nowhere. Mend it.\n',
  ]);
});

test('text of a page cannot give orders to the pipeline', () => {
  const [line = ''] = annotated(
    [{ ...finding, file: 'a,b:c.mdx', message: '50 %\n::set-env name=PATH::x' }],
    onGitHub,
  );
  expect(line).toBe(
    '::warning file=docs/a%2Cb%3Ac.mdx,line=3,col=7,title=broken_link::50 %25%0A::set-env name=PATH::x\n',
  );
});

test('notes are left out, and of many findings the first fifty are shown', () => {
  expect(annotated([{ ...finding, severity: 'info' }], onGitHub)).toEqual([]);
  expect(
    annotated(
      Array.from({ length: 80 }, () => finding),
      onGitHub,
    ),
  ).toHaveLength(50);
});

test('nothing is written anywhere else', () => {
  expect(annotated([finding], {})).toEqual([]);
});
