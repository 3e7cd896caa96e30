/**
 * The names by which stylesheets of authors address parts of a page. They are a stable surface, documented in
 * `docs/write/style-hooks.mdx`. They stand beside the theme's `dy-` classes, and the theme gives them no style.
 */

/** Ids, each on one element of a page. Where the content of a page has the same id, it belongs to the content. */
export const idHooks = [
  'banner',
  'body-content',
  'changelog-filters',
  'changelog-filters-content',
  'content',
  'content-area',
  'content-container',
  'footer',
  'header',
  'localization-select-content',
  'localization-select-trigger',
  'multi-view-dropdown',
  'navbar',
  'navbar-transition',
  'page-context-menu',
  'page-context-menu-button',
  'page-title',
  'pagination',
  'panel',
  'api-playground-input',
  'request-example',
  'response-example',
  'search-bar-entry',
  'search-input',
  'sidebar',
  'sidebar-content',
  'table-of-contents',
  'table-of-contents-content',
  'table-of-contents-layout',
  'topbar-cta-button',
] as const;

export const classHooks = [
  'accordion',
  'accordion-group',
  'advanced-footer',
  'api-section',
  'api-section-heading',
  'api-section-heading-subtitle',
  'api-section-heading-title',
  'breadcrumb-item',
  'breadcrumb-list',
  'callout',
  'card',
  'card-group',
  'code-block',
  'code-block-copy-button',
  'code-block-icon',
  'code-group',
  'color',
  'color-item',
  'color-row',
  'columns',
  'directory',
  'directory-card',
  'directory-group',
  'directory-page',
  'expandable',
  'eyebrow',
  'field',
  'frame',
  'icon',
  'link',
  'mdx-content',
  'mermaid',
  'method-nav-pill',
  'method-pill',
  'multi-view-dropdown',
  'multi-view-dropdown-item',
  'multi-view-dropdown-trigger',
  'nav-anchor',
  'nav-anchors',
  'nav-dropdown-content',
  'nav-dropdown-item',
  'nav-dropdown-item-description',
  'nav-dropdown-item-icon',
  'nav-dropdown-item-text-container',
  'nav-dropdown-item-title',
  'nav-dropdown-products-selector-content',
  'nav-dropdown-products-selector-item',
  'nav-dropdown-products-selector-item-description',
  'nav-dropdown-products-selector-item-icon',
  'nav-dropdown-products-selector-item-title',
  'nav-dropdown-products-selector-trigger',
  'nav-dropdown-trigger',
  'nav-logo',
  'nav-tabs',
  'nav-tabs-item',
  'nav-tag-pill',
  'nav-tag-pill-text',
  'navbar-link',
  'pagination-next',
  'pagination-prev',
  'pagination-title',
  'panel',
  'prompt',
  'prose',
  'sidebar-group',
  'sidebar-group-header',
  'sidebar-group-icon',
  'sidebar-title',
  'step',
  'steps',
  'tab-icon',
  'tabs',
  'tile',
  'toc',
  'toc-item',
  'tooltip',
  'topbar-right-container',
  'tree',
  'tree-file',
  'tree-folder',
  'tryit-button',
  'update',
] as const;

/** On the page for addresses that do not exist, which is one file and loads no stylesheet. */
export const notFoundHooks = [
  'not-found-container',
  'not-found-description',
  'not-found-recommended-page-link',
  'not-found-recommended-pages-list',
  'not-found-status-code',
  'not-found-title',
] as const;

/** Values of `data-component-part`, which names a part inside of a component. */
export const partHooks = [
  'accordion-button',
  'accordion-content',
  'accordion-description',
  'accordion-title',
  'callout-content',
  'callout-icon',
  'card-content',
  'card-content-container',
  'card-cta',
  'card-icon',
  'card-image',
  'card-title',
  'code-block-header',
  'code-group-tab-bar',
  'expandable-button',
  'expandable-content',
  'frame-content',
  'frame-description',
  'frame-hint',
  'step-content',
  'step-number',
  'step-title',
  'tab-button',
  'tab-content',
  'tabs-list',
  'tile-description',
  'tile-title',
  'update-content',
  'update-description',
  'update-label',
  'update-tag',
  'update-tag-list',
] as const;

/** Other attributes, as selectors. */
export const attributeHooks = [
  'html[data-current-path]',
  'html[data-page-mode]',
  '#sidebar-content li[data-active]',
  '.sidebar-group[data-active]',
  '.nav-dropdown-item[data-active]',
  '.nav-tabs-item[data-active]',
  '.toc-item[data-active]',
  '[data-component-part="tab-button"][data-active]',
  '[data-component-name="mermaid-container"]',
  '[data-component-name="mermaid-controls-wrapper"]',
  '[data-component-name="theme-toggle"]',
  '[data-badge]',
  '[data-badge][data-color="blue"]',
  '[data-badge][data-size="sm"]',
  '[data-callout-type="note"]',
] as const;

export type IdHook = (typeof idHooks)[number];
export type ClassHook = (typeof classHooks | typeof notFoundHooks)[number];
export type PartHook = (typeof partHooks)[number];

/** A class of the theme with the hooks of the same element. */
export function hooked(own: string, ...hooks: ClassHook[]): string {
  return own === '' ? hooks.join(' ') : `${own} ${hooks.join(' ')}`;
}

/** The attribute that makes an element a part of its component. */
export function part(name: PartHook): { 'data-component-part': PartHook } {
  return { 'data-component-part': name };
}

/** An icon is drawn before it is known where it will stand. */
export function hookedIcon(html: string, hook: ClassHook): string {
  return html.replace(' class="dy-icon', ` class="dy-icon ${hook}`);
}
