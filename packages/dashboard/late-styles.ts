/** A part of the build: the stylesheet moves below the skeleton, which is painted without it. */
import type { Plugin } from 'vite';

const stylesheet = /<link rel="stylesheet"[^<>]*>\n?/g;

export function lateStyles(): Plugin {
  return {
    name: 'late-styles',
    transformIndexHtml: {
      order: 'post',
      handler: (html) => {
        const links = html.match(stylesheet) ?? [];
        return html.replaceAll(stylesheet, '').replace('</body>', `${links.join('')}</body>`);
      },
    },
  };
}
