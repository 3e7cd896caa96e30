/**
 * Tells whether a text may hold a credential, so that most need no closer look: each kind begins with letters that are hardly ever
 * written otherwise. `src/check/secrets.ts` knows the kinds; markup never splits these letters.
 */
import { byteAt, bytesAtOnce, first, hyphen, isDigit, isLetter, last, nameAt, nameOf } from './source';

const underscore: u8 = 95;
const capitalI: u8 = 73;
const capitalJ: u8 = 74;
const smallG: u8 = 103;
const smallL: u8 = 108;
const smallX: u8 = 120;

/** Every trace has one of five signs in it, which few other words have, or begins with `gl`. */
export function mayHoldSecrets(): bool {
  for (let at = first; at < last; at += bytesAtOnce) {
    const bytes = v128.load(at);
    const lines = v128.or(i8x16.eq(bytes, i8x16.splat(underscore)), i8x16.eq(bytes, i8x16.splat(hyphen)));
    const capitals = v128.or(i8x16.eq(bytes, i8x16.splat(capitalI)), i8x16.eq(bytes, i8x16.splat(capitalJ)));
    const next = i8x16.eq(v128.load(at, 1), i8x16.splat(smallL));
    const pairs = v128.and(i8x16.eq(bytes, i8x16.splat(smallG)), next);
    const others = v128.or(pairs, i8x16.eq(bytes, i8x16.splat(smallX)));
    const signs = v128.or(v128.or(lines, capitals), others);
    for (let left = i8x16.bitmask(signs); left != 0; left &= left - 1)
      if (isInTrace(at + <usize>ctz(left))) return true;
  }
  return false;
}

const aws = nameOf('aws');
const capitalAws = nameOf('AWS');
const secret = nameOf('secret');
const capitalSecret = nameOf('SECRET');
const gh = nameOf('gh');
const github = nameOf('github');
const pat = nameOf('pat_');
const rk = nameOf('rk');
const sk = nameOf('sk');
const live = nameOf('live_');
const docyard = nameOf('docyard');
const npm = nameOf('npm');
const glpat = nameOf('glpat');
const ey = nameOf('ey');
const ak = nameOf('AK');
const as = nameOf('AS');
const pr = nameOf('PR');
const vateKey = nameOf('VATE KEY');
const za = nameOf('za');
const ox = nameOf('ox');

function isInTrace(at: usize): bool {
  /** The letter before the sign is the highest byte. */
  const before = load<u64>(at - 8);
  switch (byteAt(at)) {
    case underscore:
      return isAfterName(before, at);
    case hyphen:
      return before >> 48 == sk && !isWordPart(byteAt(at - 3));
    case smallG:
      return nameAt(at, at + 5) == glpat;
    case capitalJ:
      return before >> 48 == ey;
    case capitalI:
      return (
        ((before >> 48 == ak || before >> 48 == as) && byteAt(at + 1) == 65) ||
        (byteAt(at - 1) == 65 && load<u16>(at, 1) == za) ||
        (before >> 48 == pr && load<u64>(at, 1) == vateKey)
      );
    default:
      return load<u16>(at, 1) == ox && isOneOf(byteAt(at + 3), 'abeoprs');
  }
}

function isAfterName(before: u64, at: usize): bool {
  const three = before >> 40;
  if (three == npm || before >> 8 == docyard) return true;
  if ((three & 0xffff) == gh && isOneOf(byteAt(at - 1), 'oprsu')) return true;
  if (before >> 16 == github) return load<u32>(at, 1) == pat;
  if (three == aws || three == capitalAws) {
    const after = load<u64>(at, 1) & 0xffff_ffff_ffff;
    return after == (three == aws ? secret : capitalSecret);
  }
  return (before >> 48 == rk || before >> 48 == sk) && (load<u64>(at, 1) & 0xff_ffff_ffff) == live;
}

function isOneOf(byte: u32, letters: string): bool {
  for (let at = 0; at < letters.length; at++) if (byte == letters.charCodeAt(at)) return true;
  return false;
}

function isWordPart(byte: u32): bool {
  return isLetter(byte) || isDigit(byte) || byte == underscore;
}
