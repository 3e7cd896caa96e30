/** GitHub annotations: escapes, paths relative to the checkout, and no output outside GitHub Actions. */
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

test('an annotation contains the path in the checkout, the line and the code', () => {
  expect(annotated([{ ...finding, hint: 'Mend it.' }], onGitHub)).toEqual([
    '::warning file=docs/guides/start.mdx,line=3,col=7,title=broken_link::The link "/a" leads nowhere. Mend it.\n',
  ]);
});

test('text of a page cannot inject workflow commands', () => {
  const [line = ''] = annotated(
    [{ ...finding, file: 'a,b:c.mdx', message: '50 %\n::set-env name=PATH::x' }],
    onGitHub,
  );
  expect(line).toBe(
    '::warning file=docs/a%2Cb%3Ac.mdx,line=3,col=7,title=broken_link::50 %25%0A::set-env name=PATH::x\n',
  );
});

test('notes are omitted, and only the first fifty findings are shown', () => {
  expect(annotated([{ ...finding, severity: 'info' }], onGitHub)).toEqual([]);
  expect(
    annotated(
      Array.from({ length: 80 }, () => finding),
      onGitHub,
    ),
  ).toHaveLength(50);
});

test('annotations are written only in GitHub Actions', () => {
  expect(annotated([finding], {})).toEqual([]);
});
