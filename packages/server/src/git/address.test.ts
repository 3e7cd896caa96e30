import { describe, expect, test } from 'vitest';
import type { SourceError } from '../ports/sources.ts';
import { parseAddress, resolveHost } from './address.ts';

function parse(repository: string, more: { ref?: string; directory?: string; allowLocal?: boolean } = {}) {
  const { ref = null, directory = null, allowLocal = true } = more;
  return parseAddress({ repository, ref, directory, allowLocal });
}

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toMatchObject({ name: 'SourceError', code: 'source_refused' });
    const { message, hint } = error as SourceError;
    return `${message} ${hint ?? ''}`;
  }
  return 'not refused';
}

describe('an address', () => {
  test('https is a remote', () => {
    const address = parse('https://git.example.com:8443/team/docs.git');
    expect(address).toMatchObject({ kind: 'remote' });
    expect(address.kind === 'remote' && address.url.href).toBe('https://git.example.com:8443/team/docs.git');
  });

  test('a folder is read directly, and with a ref it is a repository', () => {
    expect(parse('/srv/docs')).toEqual({ kind: 'folder', path: '/srv/docs' });
    expect(parse('/srv/docs', { ref: 'main' })).toEqual({ kind: 'local-git', path: '/srv/docs' });
    expect(parse('file:///srv/my%20docs')).toEqual({ kind: 'local-git', path: '/srv/my docs' });
  });

  test.each([
    ['ext::sh -c touch% /tmp/x', 'scheme ext:// is not supported'],
    ['ssh://git@example.com/docs.git', 'scheme ssh:// is not supported'],
    ['ssh://-oProxyCommand=x/docs', ''],
    ['git://example.com/docs.git', 'scheme git:// is not supported'],
    ['ftp://example.com/docs.git', 'scheme ftp:// is not supported'],
    ['fd::17/foo', 'scheme fd:// is not supported'],
    ['javascript:alert(1)', 'not supported'],
    ['git@example.com:team/docs.git', 'neither a URL nor an absolute path'],
    ['-oProxyCommand=touch /tmp/x', 'neither a URL nor an absolute path'],
    ['--upload-pack=touch /tmp/x', 'neither a URL nor an absolute path'],
    ['docs', 'neither a URL nor an absolute path'],
    ['../docs', 'neither a URL nor an absolute path'],
    ['', 'neither a URL nor an absolute path'],
    ['https://', 'neither a URL nor an absolute path'],
    ['https://example.com:99999/docs.git', 'neither a URL nor an absolute path'],
    ['https://example.com:https/docs.git', 'neither a URL nor an absolute path'],
    ['https://user:secret@example.com/docs.git', 'must not contain a user name or password'],
    ['https://token@example.com/docs.git', 'must not contain a user name or password'],
    ['https://:secret@example.com/docs.git', 'must not contain a user name or password'],
    ['https://example.com@127.0.0.1/docs.git', 'must not contain a user name or password'],
    ['https://example.com/docs.git?service=x', 'must not contain a query or fragment'],
    ['https://example.com/docs.git#main', 'must not contain a query or fragment'],
    ['file://fileserver/share/docs', 'must not name a host'],
    ['file:///srv/%zz', 'percent sign'],
    ['https://example.com/docs.git\n--upload-pack=x', 'control character'],
    ['https://example.com/\0docs.git', 'control character'],
    ['/srv/docs\u007f', 'control character'],
  ])('%j is refused: %s', (repository, reason) => {
    const refusal = refusalOf(() => parse(repository));
    expect(refusal).not.toBe('not refused');
    expect(refusal).toContain(reason);
  });

  test.each(['/etc', 'file:///etc', 'FILE:///etc', 'file:/etc', 'file://localhost/etc'])(
    '%s needs permission to read the server',
    (repository) => {
      expect(refusalOf(() => parse(repository, { allowLocal: false }))).toContain(
        'cannot read folders of the server',
      );
    },
  );

  test('the refusal does not repeat a password in the address', () => {
    expect(refusalOf(() => parse('https://user:s3cret@example.com/docs.git'))).not.toContain('s3cret');
  });
});

describe('a ref', () => {
  test.each([
    'main',
    'feature/new-page',
    'v1.2.3',
    'release-2026.03',
    'a@b',
    'a'.repeat(40),
    'refs/heads/main',
    'x+y',
  ])('the ref %s is allowed', (ref) => {
    expect(parse('https://example.com/docs.git', { ref }).kind).toBe('remote');
  });

  test.each([
    '',
    '-oProxyCommand=x',
    '--upload-pack=touch /tmp/x',
    '+refs/heads/main',
    'main:refs/heads/other',
    'ext::sh',
    'main branch',
    'main\n',
    'main..other',
    'a//b',
    'main@{1}',
    'main^{tree}',
    'main~1',
    'main.lock',
    'main.lock/x',
    'a/.hidden',
    '.hidden',
    '/main',
    'main/',
    'main.',
    'ma*n',
    'ma?n',
    'ma[i]n',
    'ma\\in',
    '$(touch x)',
    '`x`',
    'ümlaut',
    '@',
  ])('the ref %j is refused', (ref) => {
    expect(refusalOf(() => parse('https://example.com/docs.git', { ref }))).toContain(
      'is not the name of a branch',
    );
  });
});

describe('a directory', () => {
  test.each(['docs', 'packages/docs', 'my docs', '.docs', 'a..b'])(
    'the directory %s is allowed',
    (directory) => {
      expect(parse('https://example.com/docs.git', { directory }).kind).toBe('remote');
    },
  );

  test.each([
    '',
    '/',
    '..',
    'docs/..',
    '../docs',
    'docs/../../etc',
    '/etc',
    'docs/',
    'a//b',
    '.',
    './docs',
    '.git',
    'docs/.git/hooks',
    'a\\b',
    'a\0b',
    'a\nb',
  ])('the directory %j is refused', (directory) => {
    expect(refusalOf(() => parse('https://example.com/docs.git', { directory }))).toContain(
      'is not a folder inside the repository',
    );
  });
});

describe('the host of an address', () => {
  const resolve = (url: string, allowed: string[] = []) =>
    resolveHost(new URL(url), { allowedHosts: allowed });

  test.each([
    'https://127.0.0.1/',
    'https://127.0.0.1:8443/',
    'https://2130706433/',
    'https://127.1/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://192.168.1.1:22/',
    'https://１２７.0.0.1/',
  ])('%s has a private address', async (url) => {
    const attempt = resolve(url);
    await expect(attempt).rejects.toMatchObject({ code: 'source_refused' });
    await expect(attempt).rejects.toThrow('private address');
  });

  test('a trailing dot does not bypass the check', async () => {
    await expect(resolve('https://localhost./')).rejects.toMatchObject({ name: 'SourceError' });
  });

  test('plain HTTP is refused before the lookup', async () => {
    await expect(resolve('http://no-such-host.invalid/')).rejects.toThrow('Plain http is not allowed');
  });

  test('a public address is used', async () => {
    expect(await resolve('https://93.184.215.14/')).toEqual(['93.184.215.14']);
    expect(await resolve('https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/')).toEqual([
      '2606:2800:21f:cb07:6820:80da:af6b:8b2c',
    ]);
  });

  test('a host that the operator lists may be private and use plain HTTP, on one port or all', async () => {
    expect(await resolve('http://127.0.0.1:3000/', ['127.0.0.1'])).toEqual(['127.0.0.1']);
    expect(await resolve('http://127.0.0.1:3000/', ['127.0.0.1:3000'])).toEqual(['127.0.0.1']);
    expect(await resolve('https://[::1]/', ['::1'])).toEqual(['::1']);
    expect(await resolve('https://localhost/', ['localhost'])).not.toEqual([]);
    await expect(resolve('http://127.0.0.1:3001/', ['127.0.0.1:3000'])).rejects.toThrow('Plain http');
    await expect(resolve('https://127.0.0.2/', ['127.0.0.1'])).rejects.toThrow('private address');
  });

  test('an unknown host is unavailable, not refused', async () => {
    await expect(resolve('https://no-such-host.invalid/')).rejects.toMatchObject({
      code: 'source_unavailable',
    });
  });
});
