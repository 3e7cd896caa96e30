import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newSigningKey, publicKeyOf, publicKeyText } from '@docyard/bundle';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { readSettings } from './settings.ts';

function fileOf(text: string, name = 'site.yaml'): string {
  const file = join(temporaryFolder('settings'), name);
  writeFileSync(file, text);
  return file;
}

const [one, other] = [publicKeyOf(newSigningKey()), publicKeyOf(newSigningKey())];
const bareKey = (key: typeof one) => publicKeyText(key).trim().split('\n').at(-1) ?? '';

describe('where settings come from', () => {
  test('without settings the imported release is served', () => {
    expect(readSettings({ environment: {} })).toMatchObject({
      port: 4480,
      host: '127.0.0.1',
      statusPort: null,
      basePath: null,
      staticExport: {
        enabled: true,
        bundleUrl: null,
        version: null,
        refreshSeconds: 60,
        keep: 5,
        publicKeys: [],
      },
    });
  });

  test('a Helm chart sets three variables', () => {
    const file = fileOf(
      'staticExport:\n  enabled: true\n  bundleUrl: https://store.example/b.tar.gz?s=1\n  version: 2.1\n',
    );
    expect(readSettings({ file, environment: {} }).staticExport).toMatchObject({
      enabled: true,
      bundleUrl: 'https://store.example/b.tar.gz?s=1',
      version: '2.1',
    });
  });

  test('a JSON file is accepted', () => {
    const file = fileOf('{ "staticExport": { "keep": 3 }, "port": 8080 }', 'site.json');
    expect(readSettings({ file, environment: {} })).toMatchObject({ port: 8080, staticExport: { keep: 3 } });
  });

  test('flags override the environment, which overrides the file', () => {
    const file = fileOf('port: 1\nhost: from-file\nstaticExport: { version: from-file }\n');
    const environment = { PORT: '2', HOST: 'from-environment', STATIC_EXPORT_VERSION: 'from-environment' };
    const read = readSettings({ file, environment, flags: { port: '3' } });
    expect(read).toMatchObject({
      port: 3,
      host: 'from-environment',
      staticExport: { version: 'from-environment' },
    });
  });

  test('an empty value counts as missing', () => {
    const environment = { STATIC_EXPORT_VERSION: '', STATIC_EXPORT_BUNDLE_URL: '' };
    const file = fileOf("staticExport: { version: '', bundleUrl: }\n");
    expect(readSettings({ file, environment }).staticExport).toMatchObject({
      version: null,
      bundleUrl: null,
    });
  });

  test('paths in the file are relative to the file', () => {
    const file = fileOf(
      'data: ./releases\nstaticExport: { refreshFrom: incoming, publicKey: docyard.pub }\n',
    );
    writeFileSync(join(file, '..', 'docyard.pub'), publicKeyText(one));
    const read = readSettings({ file, environment: {} });
    expect(read.dataDir).toBe(join(file, '..', 'releases'));
    expect(read.staticExport.refreshFrom).toBe(join(file, '..', 'incoming'));
    expect(read.staticExport.publicKeys).toMatchObject([{ keyId: one.keyId }]);
  });
});

describe('keys', () => {
  test('keys are accepted as text, as file text and as a list', () => {
    const keysOf = (publicKey: unknown) => {
      const file = fileOf(JSON.stringify({ staticExport: { publicKey } }));
      return readSettings({ file, environment: {} }).staticExport.publicKeys.map(({ keyId }) => keyId);
    };
    expect(keysOf(bareKey(one))).toEqual([one.keyId]);
    expect(keysOf(publicKeyText(one))).toEqual([one.keyId]);
    expect(keysOf([bareKey(one), publicKeyText(other)])).toEqual([one.keyId, other.keyId]);
  });

  test('several keys in a variable are separated by commas', () => {
    const environment = { STATIC_EXPORT_PUBLIC_KEY: `${bareKey(one)},${bareKey(other)}` };
    expect(readSettings({ environment }).staticExport.publicKeys).toHaveLength(2);
  });

  test('an empty list of keys is refused', () => {
    const file = fileOf(JSON.stringify({ staticExport: { publicKey: [] } }));
    expect(() => readSettings({ file, environment: {} })).toThrow('The list of public keys is empty');
    const environment = { STATIC_EXPORT_PUBLIC_KEY: ' , ' };
    expect(() => readSettings({ environment })).toThrow('The list of public keys is empty');
  });

  test('the API key comes from the environment or a file', () => {
    const file = fileOf('docyard_abc\n', 'key');
    const keyOf = (environment: Record<string, string>) => readSettings({ environment }).staticExport.apiKey;
    expect(keyOf({ DOCYARD_API_KEY: 'docyard_x' })).toBe('docyard_x');
    expect(keyOf({ DOCYARD_API_KEY_FILE: file })).toBe('docyard_abc');
  });

  test('the deprecated names of the key variables still work, and the current ones win', () => {
    const file = fileOf('docyard_abc\n', 'key');
    const keyOf = (environment: Record<string, string>) => readSettings({ environment }).staticExport.apiKey;
    expect(keyOf({ DOCYARD_KEY: 'docyard_x' })).toBe('docyard_x');
    expect(keyOf({ DOCYARD_KEY_FILE: file })).toBe('docyard_abc');
    expect(keyOf({ DOCYARD_API_KEY: 'docyard_new', DOCYARD_KEY: 'docyard_old' })).toBe('docyard_new');
    expect(keyOf({ DOCYARD_API_KEY_FILE: file, DOCYARD_KEY_FILE: '/nowhere' })).toBe('docyard_abc');
  });
});

describe('mistakes', () => {
  test.each([
    [
      'staticExport: { bundelUrl: x }',
      /no setting staticExport\.bundelUrl\. Did you mean staticExport\.bundleUrl\?/,
    ],
    ['staticexport: { enabled: true }', /no setting staticexport\. Did you mean/],
    ['prot: 80', /no setting prot\. Did you mean port\?/],
    ['port: many', /site\.yaml:1: port=many: must be a number\. Port to listen on/],
    ['staticExport: { enabled: perhaps }', /staticExport\.enabled=perhaps: must be on or off/],
    ['staticExport: { sha256: abc }', /sha256=abc: must be 64 hexadecimal digits/],
    ['staticExport: { keep: 0 }', /keep=0: must be at least 1/],
    ['staticExport: { bundleUrl: ftp://x }', /must be an http or https address, s3:/],
    ['staticExport: { bundleUrl: https://user:secret@host/x }', /must be an http or https address/],
    ['staticExport: { publicKey: nowhere.pub }', /nowhere\.pub is neither a key nor a file.*ENOENT/],
    ['basePath: docs/', /must begin with a slash/],
    ['staticExport: true', /staticExport must hold settings/],
    ['[1, 2]', /must hold settings/],
    ['a: [', /neither YAML nor JSON/],
    ['__proto__: { port: 1 }', /no setting __proto__/],
  ])('%s', (text, complaint) => {
    expect(() => readSettings({ file: fileOf(text), environment: {} })).toThrow(complaint);
  });

  test('an unknown variable is refused', () => {
    expect(() => readSettings({ environment: { STATIC_EXPORT_BUNDLEURL: 'x' } })).toThrow(
      'There is no setting STATIC_EXPORT_BUNDLEURL. Did you mean STATIC_EXPORT_BUNDLE_URL?',
    );
  });

  test('a missing file is reported', () => {
    expect(() => readSettings({ file: '/nowhere/site.yaml', environment: {} })).toThrow('ENOENT');
  });

  test('YAML aliases cannot expand a small file', () => {
    const lines = Array.from(
      { length: 20 },
      (_, n) =>
        `a${n}: &a${n} [${
          n === 0
            ? 'x'
            : Array(9)
                .fill(`*a${n - 1}`)
                .join(',')
        }]`,
    );
    expect(() => readSettings({ file: fileOf(lines.join('\n')), environment: {} })).toThrow(
      /neither YAML|no setting/,
    );
  });
});
