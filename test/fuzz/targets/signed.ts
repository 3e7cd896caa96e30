/** Signed or checksummed values: links to bundles and previews, keys, signatures. No changed one may be accepted. */
import fc from 'fast-check';
import { BundleRefusedError } from '../../../packages/bundle/src/refusal.ts';
import {
  signingKeyFromSeed,
  publicKeyOf,
  sign,
  verifySignature,
} from '../../../packages/bundle/src/signature.ts';
import { checkLink, signLink } from '../../../packages/server/src/exports/links.ts';
import { checkPreview, signPreview } from '../../../packages/server/src/exports/preview-links.ts';
import { isWellFormedKey, newKeyText } from '../../../packages/server/src/keys/format.ts';
import { PromiseBroken, mutatedText, target, type Outcome } from '../target.ts';

const secrets = { linkKeys: [{ id: 'k1', key: Buffer.alloc(32, 7) }] };
const now = 1_780_000_000;
const host = 'docs.example.com';
const bundleLink = signLink(secrets, {
  jobId: 'se_0123456789abcdef',
  file: 'bundle.tar.gz',
  generation: 2,
  host,
  notBefore: now,
  expires: now + 3600,
});
const preview = signPreview(secrets, { jobId: 'se_0123456789abcdef', generation: 2, expires: now + 3600 });
const key = newKeyText();
const signingKey = signingKeyFromSeed(Buffer.alloc(32, 7));
const message = Buffer.from('{"format":1}');
const signature = sign(signingKey, message, 'version:2.1');

const pieces = ['%', '%2e', '..', '/', '?', '&', '=', '&s=', '#', '\0', '\n', ' ', 'A', '_', '-', '0', 'ü'];

const isGood = (verdict: string): boolean => verdict === 'valid' || verdict === 'expired';

export const bundleLinks = target({
  name: 'bundle links',
  promise: 'no changed link opens anything',
  inputs: mutatedText([bundleLink], pieces),
  attempt(text): Outcome {
    const { verdict } = checkLink(secrets, { target: text, host, nowSeconds: now });
    if (isGood(verdict) && text !== bundleLink) throw new PromiseBroken(`accepted: ${text}`);
    return isGood(verdict) ? 'taken' : 'refused';
  },
});

/** The path within the site follows the signed part, so only that part must be unchanged. */
export const previewLinks = target({
  name: 'preview links',
  promise: 'no changed link shows anything',
  inputs: mutatedText([preview], pieces),
  attempt(text): Outcome {
    const check = checkPreview(secrets, { target: text, nowSeconds: now });
    const isSame = check.verdict === 'valid' && `${check.root}/` === preview;
    if (isGood(check.verdict) && !isSame) throw new PromiseBroken(`accepted: ${text}`);
    return isGood(check.verdict) ? 'taken' : 'refused';
  },
});

/** A 32-bit checksum cannot reject every text; it must reject typos in one or two places. */
export const keys = target({
  name: 'API keys',
  promise: 'a key with one or two characters changed is no key',
  inputs: fc.array(fc.tuple(fc.nat(key.length - 1), fc.integer({ min: 1, max: 126 })), {
    maxLength: 2,
  }),
  attempt(changes): Outcome {
    const characters = key.split('');
    for (const [place, code] of changes) characters[place] = String.fromCharCode(code);
    const text = characters.join('');
    const isTaken = isWellFormedKey(text);
    if (isTaken && text !== key) throw new PromiseBroken(`accepted: ${text}`);
    return isTaken ? 'taken' : 'refused';
  },
});

export const signatures = target({
  name: 'signatures',
  promise: 'no changed signature is one, unless only its unsigned comment or line ends differ',
  inputs: mutatedText([signature], [...pieces, '\r\n', 'RUQ', 'trusted comment: ', '==']),
  attempt(text): Outcome {
    try {
      const { trustedComment } = verifySignature([publicKeyOf(signingKey)], message, text);
      if (trustedComment !== 'version:2.1') throw new PromiseBroken(`accepted: ${text}`);
      return 'taken';
    } catch (error) {
      if (error instanceof BundleRefusedError) return 'refused';
      throw error;
    }
  },
});
