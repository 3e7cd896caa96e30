/**
 * A small set of line icons drawn for this project, by the names authors use most. An unknown name gives nothing.
 */
const shapes: Record<string, string> = {
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 8v.01"/>',
  note: '<path d="M5 4h14v10l-5 6H5z"/><path d="M14 20v-6h5M8 9h8M8 13h3"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4z"/><path d="M12 10v4M12 17v.01"/>',
  danger: '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3z"/><path d="M12 8v5M12 16v.01"/>',
  tip: '<path d="M9 18h6M10 21h4M8.5 15a6 6 0 1 1 7 0c-.4.5-.5 1-.5 1.500h-6c0-.5-.1-1-.5-1.500z"/>',
  check: '<path d="m5 12.5 4.5 4.500L19 7.5"/>',
  'circle-check': '<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.8 2.800L16 10"/>',
  xmark: '<path d="m6 6 12 12M18 6 6 18"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  'arrow-right': '<path d="M5 12h14M13 6l6 6-6 6"/>',
  'arrow-up-right': '<path d="M7 17 17 7M9 7h8v8"/>',
  'chevron-right': '<path d="m9 6 6 6-6 6"/>',
  link: '<path d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.600l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.400l1-1"/>',
  code: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14"/>',
  terminal: '<rect x="3" y="4" width="18" height="16" rx="2"/><path d="m7 9 3 3-3 3M12.5 15H17"/>',
  rocket:
    '<path d="M12 15l-3-3c1-4.5 4-8 11-9-1 7-4.5 10-8 12z"/><path d="M9 12H5l2-4 3.5-.5M12 15v4l4-2 .5-3.500M5 16c-1.5 1-2 3-2 5 2 0 4-.5 5-2"/><circle cx="15" cy="9" r="1.3"/>',
  book: '<path d="M5 5.500A2.5 2.5 0 0 1 7.5 3H19v15H7.500A2.5 2.5 0 0 0 5 20.500z"/><path d="M5 20.500A2.5 2.5 0 0 0 7.5 21H19v-3"/>',
  'book-open':
    '<path d="M12 6.500C10 5 7 4.5 3 4.500v14c4 0 7 .5 9 2 2-1.5 5-2 9-2v-14c-4 0-7 .5-9 2zM12 6.500v14"/>',
  key: '<circle cx="8" cy="15" r="4.5"/><path d="m11.3 11.7 8-8M16 7l3 3M19.5 3.500l1 1"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3M12 14.500v2"/>',
  shield: '<path d="M12 3 5 6v5.500c0 4.5 3 7.8 7 9.5 4-1.7 7-5 7-9.500V6z"/>',
  'shield-check':
    '<path d="M12 3 5 6v5.500c0 4.5 3 7.8 7 9.5 4-1.7 7-5 7-9.500V6z"/><path d="m9 12 2.2 2.200L15.2 10"/>',
  gear: '<circle cx="12" cy="12" r="3"/><path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.600l2.2 2.200M16.2 16.200l2.2 2.200M18.4 5.600l-2.2 2.200M7.8 16.200l-2.2 2.2"/>',
  wrench:
    '<path d="M20 7.500a4.8 4.8 0 0 1-6.5 4.500L7 18.500A2 2 0 1 1 4.5 16l6.5-6.500A4.8 4.8 0 0 1 16.5 4L14 6.500l.5 3 3 .5z"/>',
  server:
    '<rect x="3" y="4" width="18" height="7" rx="2"/><rect x="3" y="13" width="18" height="7" rx="2"/><path d="M7 7.500v.01M7 16.500v.01M11 7.500h6M11 16.500h6"/>',
  database:
    '<ellipse cx="12" cy="6" rx="8" ry="3"/><path d="M4 6v12c0 1.7 3.6 3 8 3s8-1.3 8-3V6M4 12c0 1.7 3.6 3 8 3s8-1.3 8-3"/>',
  cloud: '<path d="M7 19a4.5 4.5 0 0 1-.5-9A6 6 0 0 1 18 11a4 4 0 0 1-.5 8z"/>',
  bolt: '<path d="M13 3 5 13.500h6L10.5 21 19 10h-6z"/>',
  globe:
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.8 2.7 4 5.7 4 9s-1.2 6.3-4 9c-2.8-2.7-4-5.7-4-9s1.2-6.3 4-9z"/>',
  users:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M15.5 4.800a3.5 3.5 0 0 1 0 6.400M18 14.500c2 .8 3.2 2.6 3.5 5.5"/>',
  user: '<circle cx="12" cy="8" r="4"/><path d="M4.5 21c.6-4.5 3.5-7 7.5-7s6.9 2.5 7.5 7"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5.500l3.5 2"/>',
  play: '<path d="M7 4.500v15l12-7.500z"/>',
  star: '<path d="m12 3 2.7 5.8 6.3.8-4.6 4.4 1.2 6.300L12 17.200l-5.6 3.1 1.2-6.300L3 9.600l6.3-.8z"/>',
  list: '<path d="M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01"/>',
  image:
    '<rect x="3" y="4" width="18" height="16" rx="2"/><circle cx="8.5" cy="9.5" r="1.5"/><path d="m4 18 5.5-5 3.5 3 3-2.5 4 3.5"/>',
  file: '<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5"/>',
  'file-lines': '<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5M9 13h6M9 17h6"/>',
  folder: '<path d="M3 6h6l2 2.500h10V19H3z"/>',
  download: '<path d="M12 4v11M7.5 11l4.5 4.5 4.5-4.500M4 20h16"/>',
  upload: '<path d="M12 16V5M7.5 9 12 4.5 16.5 9M4 20h16"/>',
  search: '<circle cx="10.5" cy="10.5" r="6.5"/><path d="m15.5 15.5 5 5"/>',
  chart: '<path d="M4 4v16h16M8 15l3.5-4 3 2.500L20 7"/>',
  plug: '<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4"/>',
  puzzle: '<path d="M4 8h4.500a2 2 0 1 1 3.5 0H16v4a2 2 0 1 1 0 3.500V20H4v-4.500a2 2 0 1 0 0-3.500z"/>',
  layers: '<path d="m12 3 9 5-9 5-9-5zM3 12.500l9 5 9-5M3 17l9 5 9-5"/>',
  box: '<path d="m12 3 8.5 4.500v9L12 21l-8.5-4.500v-9zM3.5 7.5 12 12l8.5-4.500M12 12v9"/>',
  branch:
    '<circle cx="6" cy="5" r="2"/><circle cx="6" cy="19" r="2"/><circle cx="18" cy="7" r="2"/><path d="M6 7v10M18 9c0 4-5 4-11.5 6"/>',
  webhook:
    '<circle cx="12" cy="6" r="3"/><circle cx="6" cy="17" r="3"/><circle cx="18" cy="17" r="3"/><path d="m10.5 8.5-3.2 6M13.5 8.500l3.2 6M9 17h6"/>',
  robot:
    '<rect x="4" y="8" width="16" height="11" rx="2.5"/><path d="M12 8V4M9 13v1.500M15 13v1.500M2 12.500v3M22 12.500v3"/><circle cx="12" cy="3.5" r=".8"/>',
  sparkles:
    '<path d="M11 4c.7 4.5 2.5 6.3 7 7-4.5.7-6.3 2.5-7 7-.7-4.5-2.5-6.3-7-7 4.5-.7 6.3-2.5 7-7zM19 3v4M17 5h4M19 17v4M17 19h4"/>',
  pen: '<path d="m4 20 1-4.500L16 4.500a2 2 0 0 1 3 0l.5.5a2 2 0 0 1 0 3L8.5 19z"/>',
  mail: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m4 7 8 6 8-6"/>',
  message: '<path d="M4 5h16v11h-8l-5 4v-4H4z"/>',
  eye: '<path d="M2.5 12C5 7.5 8 5.5 12 5.500s7 2 9.5 6.500c-2.5 4.5-5.5 6.5-9.5 6.500s-7-2-9.5-6.500z"/><circle cx="12" cy="12" r="2.8"/>',
  sliders:
    '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>',
  flag: '<path d="M5 21V4h13l-2.5 4.500L18 13H5"/>',
  home: '<path d="m3 11 9-7.500L21 11M5.5 9.500V20h13V9.500M10 20v-6h4v6"/>',
  refresh: '<path d="M20 11a8 8 0 0 0-14.5-3.500L4 9M4 4v5h5M4 13a8 8 0 0 0 14.5 3.500L20 15M20 20v-5h-5"/>',
  cpu: '<rect x="6" y="6" width="12" height="12" rx="2"/><rect x="10" y="10" width="4" height="4"/><path d="M9 3v3M15 3v3M9 18v3M15 18v3M3 9h3M3 15h3M18 9h3M18 15h3"/>',
  github:
    '<path d="M9 20c-4 1.2-4-2-5.5-2.500M15 22v-3.500c0-1 .1-1.4-.5-2 2.8-.3 5.5-1.4 5.5-6a4.6 4.6 0 0 0-1.3-3.2 4.2 4.2 0 0 0-.1-3.200s-1-.3-3.4 1.300a11.6 11.6 0 0 0-6.4 0C6.4 3.8 5.4 4.1 5.4 4.100a4.2 4.2 0 0 0-.1 3.200A4.6 4.6 0 0 0 4 10.500c0 4.6 2.7 5.7 5.5 6-.6.6-.6 1.2-.5 2V22"/>',
  x: '<path d="M4 4l16 16M20 4 4 20"/>',
  linkedin:
    '<rect x="3" y="3" width="18" height="18" rx="3"/><path d="M8 11v5.500M8 7.500v.01M12 16.500V11M12 13.500c0-1.5 1-2.5 2.3-2.500s2.2.9 2.2 2.500v3"/>',
  discord:
    '<path d="M8.5 6C6.5 6.3 5 7 5 7c-2 3-2.5 6-2 9.5 2 1.5 4 2 4 2l1-2M15.5 6c2 .3 3.5 1 3.5 1 2 3 2.5 6 2 9.5-2 1.5-4 2-4 2l-1-2M7.5 16c3 1.3 6 1.3 9 0M8 7.500c2.7-.8 5.3-.8 8 0"/><path d="M9.2 12.200v.01M14.8 12.200v.01"/>',
  youtube: '<rect x="2.5" y="5.5" width="19" height="13" rx="4"/><path d="M10.5 9.500v5l4-2.500z"/>',
};

const synonyms: Record<string, string> = {
  'info-circle': 'info',
  'circle-info': 'info',
  'exclamation-triangle': 'warning',
  'triangle-exclamation': 'warning',
  'triangle-alert': 'warning',
  'circle-exclamation': 'danger',
  lightbulb: 'tip',
  'lightbulb-on': 'tip',
  'check-circle': 'circle-check',
  'book-open-cover': 'book-open',
  'book-bookmark': 'book',
  cog: 'gear',
  settings: 'gear',
  'gear-complex': 'gear',
  'screwdriver-wrench': 'wrench',
  tools: 'wrench',
  'shield-halved': 'shield',
  'magnifying-glass': 'search',
  'chart-line': 'chart',
  'chart-simple': 'chart',
  'chart-bar': 'chart',
  'line-chart': 'chart',
  gauge: 'chart',
  'puzzle-piece': 'puzzle',
  'layer-group': 'layers',
  cube: 'box',
  cubes: 'box',
  'box-open': 'box',
  package: 'box',
  'code-branch': 'branch',
  'git-branch': 'branch',
  'code-merge': 'branch',
  'wand-magic-sparkles': 'sparkles',
  stars: 'sparkles',
  pencil: 'pen',
  'pen-to-square': 'pen',
  envelope: 'mail',
  comments: 'message',
  comment: 'message',
  'clock-rotate-left': 'clock',
  'list-check': 'list',
  'file-code': 'file-lines',
  file_text: 'file-lines',
  newspaper: 'file-lines',
  house: 'home',
  'arrows-rotate': 'refresh',
  rotate: 'refresh',
  microchip: 'cpu',
  brain: 'sparkles',
  'x-twitter': 'x',
  twitter: 'x',
  website: 'globe',
  'earth-americas': 'globe',
  zap: 'bolt',
  'square-terminal': 'terminal',
  laptop: 'terminal',
  'laptop-code': 'code',
  brackets: 'code',
  'brackets-curly': 'code',
  'diagram-project': 'webhook',
  sitemap: 'webhook',
  route: 'branch',
  palette: 'pen',
  video: 'play',
  'user-group': 'users',
  hammer: 'wrench',
  'folder-open': 'folder',
  'arrow-up-right-from-square': 'arrow-up-right',
};

export function iconSvg(name: string): string {
  const key = name.replace(/^(?:fa-(?:solid|regular|brands|light)\s+)?fa-/, '').toLowerCase();
  const known = Object.hasOwn(shapes, key) ? key : Object.hasOwn(synonyms, key) ? synonyms[key] : undefined;
  const shape = known === undefined ? undefined : shapes[known];
  if (shape === undefined) return '';
  return (
    '<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
    `stroke-linejoin="round" aria-hidden="true">${shape}</svg>`
  );
}
