/** Untrusted addresses of repositories and downloads. None may lead into the internal network. */
import fc from 'fast-check';
import { EgressError, addressesFor } from '../../../packages/server/src/egress/addresses.ts';
import { parseAddress } from '../../../packages/server/src/git/address.ts';
import { SourceError } from '../../../packages/server/src/ports/sources.ts';
import { PromiseBroken, mutatedText, target, type Outcome } from '../target.ts';

const corpus = [
  'https://example.com/owner/repository.git',
  'https://127.0.0.1/a',
  'https://[::ffff:7f00:1]/a',
  'https://2130706433/a',
  'https://0x7f.1/a',
  'https://169.254.169.254/latest/meta-data',
  'ssh://git@example.com/a.git',
  'ext::sh -c id',
  'file:///etc/passwd',
  '/srv/repositories/a',
];
const pieces = [
  '@',
  ':',
  '//',
  '\\',
  '%00',
  '%2f',
  '[',
  ']',
  '::1',
  '127.1',
  '0',
  '0x',
  '-',
  '--upload-pack=x',
  '#',
  '?',
  '..',
  'localhost',
  '\t',
  'fd::',
  'ＡＢ',
  '。',
];

export const repositories = target({
  name: 'repository addresses',
  promise: 'only https addresses without credentials pass; everything else is refused by a sentence',
  inputs: fc.record({
    repository: mutatedText(corpus, pieces),
    ref: fc.option(mutatedText(['main', 'v1.2'], pieces)),
    directory: fc.option(mutatedText(['docs', 'a/b'], pieces)),
  }),
  attempt({ repository, ref, directory }): Outcome {
    try {
      const address = parseAddress({ repository, ref, directory, allowLocal: false });
      if (address.kind !== 'remote') throw new PromiseBroken(`local: ${repository}`);
      const { protocol, username, password } = address.url;
      if (!/^https?:$/.test(protocol) || username || password)
        throw new PromiseBroken(`accepted: ${repository}`);
      if (ref?.startsWith('-') || directory?.split('/').includes('..'))
        throw new PromiseBroken(`accepted: ${ref} ${directory}`);
      return 'taken';
    } catch (error) {
      if (error instanceof SourceError) return 'refused';
      throw error;
    }
  },
});

const inside =
  /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

export const egress = target({
  name: 'outbound addresses',
  promise: 'no address of an inner network is dialled, however it is written',
  inputs: mutatedText(corpus, pieces),
  async attempt(text): Promise<Outcome> {
    if (!URL.canParse(text)) return 'refused';
    try {
      const lookup = () => Promise.resolve(['93.184.216.34']);
      const found = await addressesFor(new URL(text), { allowedHosts: [], lookup });
      const wrong = found.find(
        (address) => inside.test(address) || /^(?:::1$|::ffff:|f[cd]|fe80)/i.test(address),
      );
      if (wrong !== undefined) throw new PromiseBroken(`${text} leads to ${wrong}`);
      return 'taken';
    } catch (error) {
      if (error instanceof EgressError) return 'refused';
      throw error;
    }
  },
});
