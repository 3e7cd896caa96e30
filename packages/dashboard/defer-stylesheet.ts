/** Build plugin: moves the stylesheet to the end of the body, so that the skeleton is painted first. */
import type { Plugin } from 'vite';

const stylesheet = /<link rel="stylesheet"[^<>]*>\n?/g;

export function deferStylesheet(): Plugin {
  return {
    name: 'defer-stylesheet',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const links = html.match(stylesheet) ?? [];
        return html.replaceAll(stylesheet, '').replace('</body>', `${links.join('')}</body>`);
      },
    },
  };
}
