/**
 * The HTML of the gate: sign-in, sign-out and their problems. It needs no other file, because those are private. Its frame
 * is a page of the release, which its author may have written, so the policy allows neither scripts nor other hosts.
 */
import type { SignInPage } from './sign-in.ts';

export interface PageParts extends SignInPage {
  siteName: string;
  /** Where the form is sent. */
  action: string;
  button: string | null;
  /** Allows the style of this response. */
  nonce: string;
  /** The page of the release, with placeholders. */
  template: string | undefined;
}

/** A form may be sent to this site, and from there to the identity provider. */
export function pagePolicy({ nonce, formTarget }: { nonce: string; formTarget: string | undefined }): string {
  const targets = formTarget === undefined ? "'self'" : `'self' ${new URL(formTarget).origin}`;
  return `default-src 'none'; style-src 'nonce-${nonce}'; img-src data:; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`;
}

export function pageHtml({ siteName, nonce, template, ...page }: PageParts): string {
  const isUsable = template?.includes('{{content}}') === true;
  const texts = { title: escaped(page.title), content: contentHtml(page), nonce };
  return (isUsable ? template : plainTemplate(siteName)).replaceAll(
    /\{\{(title|content|nonce)\}\}/g,
    (_, name: keyof typeof texts) => texts[name],
  );
}

function contentHtml({
  title,
  message,
  isProblem,
  asksForPassword,
  link,
  action,
  button,
}: Omit<PageParts, 'siteName' | 'nonce' | 'template'>): string {
  const invalid = isProblem ? ' aria-invalid="true" aria-describedby="message"' : '';
  const password = `<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus${invalid}>`;
  const parts = [
    `<h1>${escaped(title)}</h1>`,
    message === undefined
      ? ''
      : `<p id="message"${isProblem ? ' role="alert" class="problem"' : ''}>${escaped(message)}</p>`,
    button === null
      ? ''
      : `<form method="post" action="${escaped(action)}">
${asksForPassword ? `${password}\n` : ''}<button>${escaped(button)}</button>
</form>`,
    link === undefined ? '' : `<p><a href="${escaped(link.address)}">${escaped(link.label)}</a></p>`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** For releases without a page of their own. */
function plainTemplate(siteName: string): string {
  // Otherwise a name could contain a placeholder.
  const name = escaped(siteName).replaceAll('{', '&#123;');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{{title}} · ${name}</title>
<style nonce="{{nonce}}">${style}</style>
</head>
<body>
<main>
<p class="site">${name}</p>
{{content}}
</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const style = `
:root { color-scheme: light dark; --text: light-dark(#16211f, #e6efec); --soft: light-dark(#4b5d59, #a9bab5);
  --line: light-dark(#7b8c88, #64756f); --page: light-dark(#f6f8f7, #0b1210); --raised: light-dark(#fff, #121b19);
  --accent: light-dark(#0f766e, #5eead4); --on-accent: light-dark(#fff, #06231f); --problem: light-dark(#b42318, #ffa198); }
* { box-sizing: border-box; }
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; padding: 1rem; background: var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { display: grid; gap: 1rem; width: min(24rem, 100%); padding: clamp(1.5rem, 5vw, 2.25rem); border: 1px solid
  light-dark(#dbe4e1, #22302c); border-radius: 0.875rem; background: var(--raised); }
h1, p { margin: 0; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
.site, #message { color: var(--soft); }
#message.problem { color: var(--problem); }
form { display: grid; gap: 0.5rem; }
input, button { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border-radius: 0.5rem; font: inherit; }
input { margin-bottom: 0.5rem; border: 1px solid var(--line); background: var(--page); color: inherit; }
button { border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
