import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { readSettings } from '../settings/settings.ts';

const folder = temporaryFolder('access-settings');
writeFileSync(join(folder, 'secret'), 'a secret that is long enough for tokens\n');
writeFileSync(join(folder, 'empty'), '');

function accessOf(text: string, environment: Record<string, string> = {}) {
  const file = join(folder, 'site.yaml');
  writeFileSync(file, text);
  return readSettings({ file, environment }).access;
}

test('a site is public by default', () => {
  expect(accessOf('port: 4480')).toBeNull();
});

test('a complete OpenID provider is accepted, with the secret from a file beside the settings', () => {
  const settings = accessOf(
    `access: { mode: oidc, url: https://docs.example.com, issuer: https://login.example.com, clientId: docs,
      clientSecretFile: secret, allowedGroups: [staff, partners], trustedProxies: 10.0.0.0/8 }`,
    { ACCESS_SESSION_HOURS: '2' },
  );
  expect(settings).toMatchObject({
    how: {
      mode: 'oidc',
      clientSecret: 'a secret that is long enough for tokens',
      allowedGroups: ['staff', 'partners'],
      scopes: 'openid profile email',
    },
    sessionHours: 2,
    trustedProxies: ['10.0.0.0/8'],
  });
});

test.each([
  ['mode: everyone', /access\.mode=everyone: must be one of public, password, oidc, jwt, header/],
  ['mode: password', /access\.mode is password, but access\.passwordFile is missing/],
  ['mode: password, passwordFile: none', /none cannot be read/],
  ['mode: password, passwordFile: empty', /empty has no password/],
  ['mode: oidc', /but access\.url is missing/],
  ['mode: oidc, url: https://docs.example.com', /but access\.issuer is missing/],
  ['mode: oidc, url: ftp://docs.example.com', /must be an http or https address/],
  ['mode: jwt', /but access\.tokenKeyFile is missing/],
  ['mode: jwt, tokenKeyFile: secret', /but access\.audience is missing/],
  ['mode: jwt, tokenKeyFile: empty, audience: docs', /secret of 0 bytes/],
  ['mode: header', /but access\.trustedProxies is missing/],
  ['mode: header, trustedProxies: [proxy]', /proxy, which is neither an address nor a range/],
  ['mode: header, trustedProxies: [0.0.0.0/0]', /neither an address nor a range/],
  ['modes: password', /Did you mean access\.mode\?/],
])('{ %s } is refused with the reason', (access, message) => {
  expect(() => accessOf(`access: { ${access} }`)).toThrow(message);
});
