/** Lists of IP addresses and CIDR ranges, of API keys and trusted proxies. For a key, an empty list allows every address. */
import { BlockList, isIP } from 'node:net';
import { plainAddress } from './internal-addresses.ts';

export function complainAboutRange(entry: string): string | undefined {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0)
    return `${entry} is neither an IP address nor a CIDR range such as 203.0.113.0/24.`;
  if (bits === undefined) return undefined;
  const maxBits = family === 4 ? 32 : 128;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > maxBits)
    return `The range ${entry} must end in /1 to /${maxBits}.`;
  if (Number(bits) === 0) return `The range ${entry} covers every address. Leave the list empty instead.`;
  return undefined;
}

export function addressAllowed(ranges: readonly string[], address: string): boolean {
  if (ranges.length === 0) return true;
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const type = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(network, type);
    else list.addSubnet(network, Number(bits), type);
  }
  const plain = plainAddress(address);
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** The unit of address limits: an IPv4 address, or the /64 network that an IPv6 subscriber has. */
export function subscriberOf(address: string): string {
  const plain = plainAddress(address);
  if (isIP(plain) !== 6) return plain;
  const [front = '', back] = plain.split('::');
  const groups = front === '' ? [] : front.split(':');
  const tail = back === undefined || back === '' ? [] : back.split(':');
  while (groups.length + tail.length < 8) groups.push('0');
  return `${[...groups, ...tail].slice(0, 4).join(':')}::/64`;
}
