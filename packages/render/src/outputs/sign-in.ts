/**
 * Writes the page on which readers of a private site sign in. The server of the site fills in the placeholders; it shows the
 * page to everyone, so it contains nothing but the name, the logo and the colors of the site. Its policy allows no other file.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { imageTypes } from '../assets/inline-masks.ts';
import type { SiteSettings } from '../config/settings.ts';
import { readableOn } from '../css/colors.ts';
import { chosenColors, siteVariables } from '../theme/site-css.ts';
import { escapeAttribute, escapeText } from '../text/html.ts';
import type { OutputContext, OutputItem } from './contract.ts';

export function* signInOutput(context: OutputContext): Generator<OutputItem> {
  yield { path: '_docyard/sign-in.html', content: signInPage(context) };
}

function signInPage(context: OutputContext): string {
  const { settings } = context.site;
  // Otherwise a name could contain a placeholder.
  const name = escapeText(settings.name).replaceAll('{', '&#123;');
  const style = styleFor(context);
  const hash = createHash('sha256').update(style).digest('base64');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>{{title}} · ${name}</title>
<style nonce="{{nonce}}">${style}</style>
</head>
<body>
<main>
${logoHtml(context) ?? `<p class="site">${name}</p>`}
{{content}}
</main>
</body>
</html>
`;
}

/** Undefined without a logo in the folder of the site, and for a large one. */
function logoHtml({ site: { settings }, logo, readFile }: OutputContext): string | undefined {
  if (logo === undefined) return undefined;
  const { initial } = settings.appearance;
  const [light, dark] = [logo.light, logo.dark].map((file) => dataAddress(file, readFile));
  const shown = initial === 'dark' ? dark : light;
  if (shown === undefined || dark === undefined) return undefined;
  const source =
    initial === 'system' && dark !== light
      ? `<source media="(prefers-color-scheme: dark)" srcset="${dark}">`
      : '';
  const alt = escapeAttribute(settings.name).replaceAll('{', '&#123;');
  return `<picture>${source}<img class="logo" src="${shown}" alt="${alt}"></picture>`;
}

function dataAddress(file: string, readFile: OutputContext['readFile']): string | undefined {
  const type = imageTypes[posix.extname(file).toLowerCase()];
  const content = type === undefined ? undefined : readFile(file);
  return content && `data:${type};base64,${Buffer.from(content).toString('base64')}`;
}

function styleFor({ site: { settings }, styleFiles }: OutputContext): string {
  const { background } = chosenColors(settings);
  const variables = siteVariables(settings, { ...styleFiles, background: undefined });
  const onBackground = (light: string, dark: string): string =>
    `light-dark(${readableOn(light, background.light)}, ${readableOn(dark, background.dark)})`;
  const own = {
    text: onBackground('#1f2328', '#e6e8eb'),
    soft: onBackground('#57606a', '#9aa4af'),
    problem: onBackground('#b42318', '#ffa198'),
  };
  const declarations = Object.entries({ ...variables, ...own }).map(
    ([name, value]) => `--dy-${name}: ${value};`,
  );
  const css = `:root { color-scheme: ${colorScheme(settings)}; ${declarations.join(' ')} }
* { box-sizing: border-box; }
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; padding: 1rem; background: ${backdrop(settings)};
  color: var(--dy-text); font: 1rem/1.5 var(--dy-sans, system-ui, sans-serif); }
main { display: grid; gap: 1rem; width: min(25rem, 100%); padding: clamp(1.5rem, 6vw, 2.5rem);
  border: 1px solid color-mix(in srgb, var(--dy-text) 14%, transparent); border-radius: 1rem; background: var(--dy-background);
  box-shadow: 0 1rem 3rem -1.5rem rgb(0 0 0 / 25%); }
h1, p { margin: 0; overflow-wrap: anywhere; }
h1 { font-family: var(--dy-heading-font, inherit); font-size: 1.5rem; font-weight: var(--dy-heading-weight, 650); line-height: 1.25;
  letter-spacing: -0.015em; }
h1 + #message { margin-top: -0.5rem; }
.logo { display: block; max-width: min(14rem, 100%); height: 2rem; margin-bottom: 0.75rem; object-fit: contain; object-position: left; }
.site { margin-bottom: 0.25rem; font-weight: 600; }
#message { color: var(--dy-soft); }
#message.problem { color: var(--dy-problem); }
form { display: grid; gap: 0.375rem; }
label { font-size: 0.875rem; font-weight: 550; }
input, button { width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border-radius: 0.625rem; font: inherit; }
input { margin-bottom: 0.75rem; border: 1px solid color-mix(in srgb, var(--dy-text) 55%, var(--dy-background)); background: transparent; color: inherit; }
button { border: 0; background: var(--dy-button); color: var(--dy-on-button); font-weight: 600; cursor: pointer; }
button:hover { filter: brightness(1.06); }
a { color: var(--dy-accent-text); text-underline-offset: 0.2em; }
:focus-visible { outline: 2px solid var(--dy-accent-text); outline-offset: 2px; }`;
  // The name of a font must not end the element.
  return css.replaceAll('<', String.raw`\3c `);
}

function colorScheme({ appearance: { initial } }: SiteSettings): string {
  return initial === 'system' ? 'light dark' : initial;
}

function backdrop({ background }: SiteSettings): string {
  if (background?.decoration === undefined) return 'var(--dy-background)';
  return 'radial-gradient(50rem 25rem at 50% -8rem, color-mix(in srgb, var(--dy-accent) 16%, transparent), transparent), var(--dy-background)';
}
