/** Parts of the texts for forges: untrusted text that is sanitized, and links from the configuration. */
import { looksSecret } from '../policy/secrets.ts';
import { sanitizeCode, sanitizeMarkdownLine } from '../../pull-requests/sanitize.ts';

export interface Secrets {
  secrets: readonly string[];
}

export function code(text: string, facts: Secrets): string {
  return sanitizeCode(withoutSecrets(text, facts));
}

export function oneLine(text: string, facts: Secrets): string {
  return sanitizeMarkdownLine(withoutSecrets(text, facts), 240);
}

/** Replaces the whole text: parts of the credential may surround the match. */
export function withoutSecrets(text: string, { secrets }: Secrets): string {
  return looksSecret(text, secrets) ? '(Text that resembles a credential was removed.)' : text;
}

/** Only addresses from the configuration are linked. */
export function linkTo(url: string | null): string | undefined {
  const parsed = url === null ? null : URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return undefined;
  return parsed.href.replaceAll(/[()<>\s]/g, (character) =>
    encodeURIComponent(character).replace('(', '%28').replace(')', '%29'),
  );
}
