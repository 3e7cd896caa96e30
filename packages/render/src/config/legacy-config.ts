/** Converts the older `mint.json` format to `docs.json`. Keys without an equivalent are dropped. */
import { asList, asObject, asText, at, textAt } from './json.ts';
import type { JsonObject } from '../model/json.ts';

export function fromLegacyConfig(legacy: JsonObject): JsonObject {
  const primary = asObject(legacy['topbarCtaButton']);
  return {
    theme: legacyTheme(legacy),
    name: legacy['name'],
    description: legacy['description'],
    colors: { primary: '#16A34A', ...asObject(legacy['colors']) },
    logo: legacy['logo'],
    favicon: legacy['favicon'],
    appearance: {
      default: at(legacy, 'modeToggle', 'default'),
      strict: at(legacy, 'modeToggle', 'isHidden'),
    },
    navbar: {
      links: asList(legacy['topbarLinks']).map((link) => ({
        label: at(link, 'name'),
        href: at(link, 'url'),
      })),
      ...(primary
        ? { primary: { type: primary['type'] ?? 'button', label: primary['name'], href: primary['url'] } }
        : {}),
    },
    footer: { socials: legacySocials(legacy), links: at(legacy, 'footer', 'links') },
    background: {
      image: legacy['backgroundImage'],
      decoration: at(legacy, 'background', 'style'),
      color: at(legacy, 'colors', 'background'),
    },
    fonts: legacyFonts(legacy['font']),
    styling: { eyebrows: legacy['eyebrow'], codeblocks: at(legacy, 'codeBlock', 'mode') },
    search: { prompt: at(legacy, 'search', 'prompt') },
    metadata: { timestamp: at(legacy, 'metadata', 'timestamp') },
    feedback: legacy['feedback'],
    banner: legacy['banner'],
    integrations: { ...asObject(legacy['analytics']), ...asObject(legacy['integrations']) },
    seo: {
      metatags: legacy['metadata'],
      ...(at(legacy, 'seo', 'indexHiddenPages') === true ? { indexing: 'all' } : {}),
    },
    redirects: legacy['redirects'],
    api: legacyApi(legacy),
    navigation: legacyNavigation(legacy),
  };
}

function legacyApi(legacy: JsonObject): JsonObject {
  const api = legacy['api'];
  const disablesProxy = at(api, 'playground', 'disableProxy');
  return {
    openapi: legacy['openapi'],
    asyncapi: legacy['asyncapi'],
    mdx: { server: at(api, 'baseUrl'), auth: at(api, 'auth') },
    playground: {
      display: at(api, 'playground', 'mode'),
      ...(typeof disablesProxy === 'boolean' ? { proxy: !disablesProxy } : {}),
    },
    params: { expanded: at(api, 'paramFields', 'expanded') },
    examples: { languages: at(api, 'request', 'example', 'languages') },
  };
}

function legacyTheme(legacy: JsonObject): string {
  const byTheme: Record<string, string> = { venus: 'palm', quill: 'willow' };
  const byLayout: Record<string, string> = { sidenav: 'maple', solidSidenav: 'willow' };
  return byTheme[textAt(legacy, 'theme') ?? ''] ?? byLayout[textAt(legacy, 'layout') ?? ''] ?? 'mint';
}

function legacyFonts(value: unknown): JsonObject {
  const font = (part: unknown): JsonObject | undefined =>
    textAt(part, 'family') ? { ...asObject(part), source: at(part, 'url') ?? at(part, 'source') } : undefined;
  return { ...font(value), heading: font(at(value, 'headings')), body: font(at(value, 'body')) };
}

function legacySocials(legacy: JsonObject): JsonObject {
  const socials = legacy['footerSocials'];
  if (!Array.isArray(socials)) return asObject(socials) ?? {};
  return Object.fromEntries(socials.map((item) => [textAt(item, 'type') ?? 'website', textAt(item, 'url')]));
}

/**
 * The older format lists all groups flat. A group belongs to the tab or anchor whose `url` is a prefix of its
 * first page. External entries become global links.
 */
function legacyNavigation(legacy: JsonObject): JsonObject {
  const names = asList(legacy['versions']).flatMap(
    (version) => asText(version) ?? textAt(version, 'name') ?? [],
  );
  if (names.length < 2) return versionlessNavigation(legacy);
  /** Groups, tabs and anchors without a version belong to every version. */
  const versions = names.map((version, index) => {
    const inVersion = (item: unknown): boolean => [undefined, version].includes(textAt(item, 'version'));
    const part = Object.fromEntries(
      ['navigation', 'tabs', 'anchors'].map((key) => [key, asList(legacy[key]).filter(inVersion)]),
    );
    const setting = asList(legacy['versions'])[index];
    return { version, default: at(setting, 'default'), ...versionlessNavigation({ ...legacy, ...part }) };
  });
  return { versions };
}

function versionlessNavigation(legacy: JsonObject): JsonObject {
  const groups = asList(legacy['navigation']).filter((group) => asObject(group) !== undefined);
  const entries = [...asList(legacy['tabs']), ...asList(legacy['anchors'])].map((entry) => ({
    name: textAt(entry, 'name') ?? '',
    url: (textAt(entry, 'url') ?? '').replace(/^\/+|\/+$/g, ''),
    icon: textAt(entry, 'icon'),
    openapi: at(entry, 'openapi'),
    isTab: asList(legacy['tabs']).includes(entry),
  }));
  const external = entries.filter((entry) => /^[a-z]+:/i.test(entry.url));
  const internal = entries.filter((entry) => !external.includes(entry) && entry.url !== '');
  const owner = (group: unknown): (typeof entries)[number] | undefined => {
    const first = firstPage(group);
    return internal.find((entry) => first === entry.url || first.startsWith(`${entry.url}/`));
  };
  const claimed = internal
    .map((entry) => ({ entry, groups: groups.filter((group) => owner(group) === entry) }))
    .filter((claim) => claim.groups.length > 0 || claim.entry.openapi !== undefined);
  const rest = groups.filter((group) => !claimed.some((claim) => claim.groups.includes(group)));
  const global = external.length
    ? { global: { anchors: external.map(({ name, url, icon }) => ({ anchor: name, href: url, icon })) } }
    : {};
  if (claimed.length === 0) return { groups, ...global };
  const useTabs = claimed.some((claim) => claim.entry.isTab);
  const nameKey = useTabs ? 'tab' : 'anchor';
  const home = textAt(legacy, 'primaryTab', 'name') ?? textAt(legacy, 'topAnchor', 'name') ?? 'Documentation';
  const divisions = [
    ...(rest.length ? [{ [nameKey]: home, icon: 'book-open', groups: rest }] : []),
    ...claimed.map(({ entry: { name, icon, openapi, url }, groups: own }) => ({
      [nameKey]: name,
      icon,
      groups: own,
      ...(openapi === undefined ? {} : { openapi: { source: openapi, directory: url } }),
    })),
  ];
  return { [useTabs ? 'tabs' : 'anchors']: divisions, ...global };
}

function firstPage(group: unknown): string {
  for (const page of asList(at(group, 'pages'))) {
    const path = typeof page === 'string' ? page : firstPage(page);
    if (path) return path.replace(/^\/+/, '');
  }
  return asText(at(group, 'root')) ?? '';
}
