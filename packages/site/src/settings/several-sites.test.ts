/** A settings file with a list of sites. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newSigningKey, publicKeyOf, publicKeyText } from '@docyard/bundle';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { type NamedSite, readSettings, type SettingsOfSite } from './settings.ts';

const folder = temporaryFolder('sites');
const key = publicKeyOf(newSigningKey());
writeFileSync(join(folder, 'docyard.pub'), publicKeyText(key));
writeFileSync(join(folder, 'own-key'), 'docyard_own\n');

function read(text: string, environment: Record<string, string> = {}) {
  const file = join(folder, 'sites.yaml');
  writeFileSync(file, text);
  return readSettings({ file, environment });
}

function sitesOf(text: string, environment?: Record<string, string>): NamedSite[] {
  return read(text, environment).sites ?? [];
}

function settingsOf(site: NamedSite | undefined): SettingsOfSite {
  if (site === undefined || site.settings instanceof Error) throw new Error('The site has no settings.');
  return site.settings;
}

const two = `
data: releases
staticExport:
  publicKey: docyard.pub
  refreshSeconds: 120
hstsSeconds: 600
sites:
  - host: docs.example.com
    staticExport: { bundleUrl: https://store.example.com/docs.tar.gz, version: 2.1 }
  - name: handbook
    host: [Handbuch.example.com, bücher.example.com]
    basePath: /team
    data: /srv/handbook
    hstsSeconds: 0
    staticExport: { refreshFrom: incoming, refreshSeconds: 5, enabled: off }
`;

describe('an entry', () => {
  test('has its own hosts, path, folder and bundle', () => {
    const [docs, handbook] = sitesOf(two);
    expect(docs).toMatchObject({ name: 'docs.example.com', hosts: ['docs.example.com'], basePath: null });
    expect(settingsOf(docs)).toMatchObject({
      dataDir: join(folder, 'releases/sites/docs.example.com'),
      staticExport: { bundleUrl: 'https://store.example.com/docs.tar.gz', version: '2.1' },
    });
    expect(handbook).toMatchObject({
      name: 'handbook',
      hosts: ['handbuch.example.com', 'xn--bcher-kva.example.com'],
      basePath: '/team',
      dataDir: '/srv/handbook',
    });
    expect(settingsOf(handbook).staticExport).toMatchObject({
      bundleUrl: null,
      refreshFrom: join(folder, 'incoming'),
      enabled: false,
    });
  });

  test('inherits shared settings from the top of the file and the environment', () => {
    const [docs, handbook] = sitesOf(two, { STATIC_EXPORT_KEEP: '9' });
    expect(docs?.hstsSeconds).toBe(600);
    expect(handbook?.hstsSeconds).toBe(0);
    expect(settingsOf(docs).staticExport).toMatchObject({ refreshSeconds: 120, keep: 9 });
    expect(settingsOf(handbook).staticExport).toMatchObject({ refreshSeconds: 5, keep: 9 });
    for (const site of [docs, handbook])
      expect(settingsOf(site).staticExport.publicKeys).toMatchObject([{ keyId: key.keyId }]);
  });

  test('uses its own key file instead of the key of the environment', () => {
    const text =
      'sites: [{ host: a, staticExport: { apiKeyFile: own-key } }, { host: b }, { host: c, report: { url: "https://x.example.com", apiKeyFile: own-key } }]';
    const environment = { DOCYARD_API_KEY: 'docyard_shared', REPORT_KEY: 'docyard_report' };
    const [a, b, c] = sitesOf(text, environment).map(settingsOf);
    expect([a?.staticExport.apiKey, b?.staticExport.apiKey]).toEqual(['docyard_own', 'docyard_shared']);
    expect(c?.report?.apiKey).toBe('docyard_own');
  });

  test('whose key file cannot be read leaves the other entries usable', () => {
    const [broken, intact] = sitesOf(
      'sites: [{ host: a, staticExport: { publicKey: nowhere.pub } }, { host: b }]',
    );
    expect(broken?.settings).toMatchObject({ message: expect.stringContaining('nowhere.pub is neither') });
    expect(settingsOf(intact).staticExport.enabled).toBe(true);
  });

  test('has the certificate of the file unless it names its own', () => {
    const [own, shared] = sitesOf(
      'tls: { certFile: all.pem, keyFile: all.key }\nsites: [{ host: a, tls: { certFile: a.pem, keyFile: a.key } }, { host: b }]',
    );
    expect(own?.tls).toEqual({ certFile: join(folder, 'a.pem'), keyFile: join(folder, 'a.key') });
    expect(shared?.tls).toEqual({ certFile: join(folder, 'all.pem'), keyFile: join(folder, 'all.key') });
  });
});

describe('a mistake in a list of sites is reported with its line', () => {
  test.each([
    [
      'sites:\n  - host: a\n    staticExport:\n      keep: 0\n',
      /sites\.yaml:4: sites\[0\]\.staticExport\.keep=0: must be at least 1/,
    ],
    [
      'sites:\n  - host: a\n  - host: b\n    staticExport: { bundelUrl: x }\n',
      /sites\.yaml:4: there is no setting sites\[1\]\.staticExport\.bundelUrl\. Did you mean staticExport\.bundleUrl\?/,
    ],
    [
      'sites:\n  - host: a\n    port: 80\n',
      /sites\.yaml:3: port is a setting of the process\. Move it to the top/,
    ],
    [
      'port: 80\nstaticExport:\n  version: 2\nsites: [{ host: a }]\n',
      /sites\.yaml:3: staticExport\.version is a setting of one site\. Move it into an entry/,
    ],
    ['sites:\n  - host: a:80\n', /sites\.yaml:2: sites\[0\]\.host=a:80: must be a host name/],
    [
      'sites:\n  - name: Docs and more\n',
      /sites\.yaml:2: sites\[0\]\.name=Docs and more: must be lower-case/,
    ],
    ['sites:\n  - basePath: docs/\n', /sites\.yaml:2: sites\[0\]\.basePath=docs\/: must begin with a slash/],
    ['sites: []\n', /sites\.yaml:1: sites must be a list of sites/],
    ['sites:\n  docs: {}\n', /sites\.yaml:1: sites must be a list of sites/],
    ['sites:\n  - docs\n', /sites\.yaml:2: sites\[0\] must hold settings/],
    ['sites:\n  - staticExport: {}\n', /sites\[0\]\.name is missing/],
    ['\nsiets: []\n', /sites\.yaml:2: there is no setting siets\. Did you mean sites\?/],
    ['sites: [{ host: a, tls: { certFile: a.pem } }]', /certFile is set without tls\.keyFile/],
    ['base: &a { prot: 1 }\nsites: [*a]', /there is no setting base/],
    [
      'sites:\n  - host: a\n    staticExport: 3\n',
      /sites\.yaml:3: sites\[0\]\.staticExport must hold settings/,
    ],
  ])('%j', (text, complaint) => {
    expect(() => read(text)).toThrow(complaint);
  });

  test.each([
    ['sites: [{ host: a, name: x }, { host: b, name: x }]', 'Two sites have the name x'],
    ['sites: [{ host: a, data: x }, { host: b, data: ./x }]', 'the same data folder'],
    ['sites: [{ host: a }, { host: A, basePath: /b }]', 'both serve a. Set basePath in both'],
    [
      'sites: [{ name: x, basePath: / }, { name: z, basePath: "/" }]',
      'both serve every host with the same basePath',
    ],
    ['defaultSite: dcos\nsites: [{ host: a, name: docs }]', 'no entry of this name. Did you mean docs?'],
    ['defaultSite: docs', 'there is no list of sites'],
    ['redirectPort: 80', 'redirectPort is set without a certificate'],
    ['accessLog: { file: access.log }', 'accessLog.file is set without accessLog.format'],
    [
      'sites: [{ host: a, tls: { certFile: a.pem, keyFile: a.key } }, { host: b }]',
      'The site b has no certificate',
    ],
  ])('settings that contradict each other are refused: %s', (text, complaint) => {
    expect(() => read(text)).toThrow(complaint);
  });

  test('a variable of one site is refused', () => {
    expect(() => read('sites: [{ host: a }]', { STATIC_EXPORT_VERSION: '2' })).toThrow(
      'STATIC_EXPORT_VERSION is a setting of one site. Set staticExport.version in an entry of sites.',
    );
  });
});
