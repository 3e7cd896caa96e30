/** Line icons of the interface, independent of the icon library of the site. */
const shapes = {
  info: '<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 8v.01"/>',
  note: '<path d="M5 4h14v10l-5 6H5z"/><path d="M14 20v-6h5M8 9h8M8 13h3"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4z"/><path d="M12 10v4M12 17v.01"/>',
  danger: '<path d="M8.3 3h7.4L21 8.3v7.4L15.7 21H8.3L3 15.7V8.3z"/><path d="M12 8v5M12 16v.01"/>',
  tip: '<path d="M9 18h6M10 21h4M8.5 15a6 6 0 1 1 7 0c-.4.5-.5 1-.5 1.5h-6c0-.5-.1-1-.5-1.5z"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  'circle-check': '<circle cx="12" cy="12" r="9"/><path d="m8 12.5 2.8 2.8L16 10"/>',
  xmark: '<path d="m6 6 12 12M18 6 6 18"/>',
  'arrow-right': '<path d="M5 12h14M13 6l6 6-6 6"/>',
  'arrow-up-right': '<path d="M7 17 17 7M9 7h8v8"/>',
  'chevron-right': '<path d="m9 6 6 6-6 6"/>',
  'chevron-down': '<path d="m6 9 6 6 6-6"/>',
  file: '<path d="M6 3h8l5 5v13H6z"/><path d="M14 3v5h5"/>',
  folder: '<path d="M3 6h6l2 2.5h10V19H3z"/>',
  copy: '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
  link: '<path d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3A4.5 4.5 0 0 0 13 4.6l-1 1M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1-1"/>',
  feed: '<path d="M5 5a14 14 0 0 1 14 14M5 11.5a7.5 7.5 0 0 1 7.5 7.5"/><circle cx="6" cy="18" r="1"/>',
  pencil: '<path d="M4 20h4L19.5 8.5a2.1 2.1 0 0 0-4-4L4 16z"/>',
  flag: '<path d="M5 21V4h12l-2 4 2 4H5"/>',
  unknown: '<rect x="4.5" y="4.5" width="15" height="15" rx="4"/><circle cx="12" cy="12" r="1.5"/>',
} as const;

export type InterfaceIcon = keyof typeof shapes;

export function interfaceIcon(name: InterfaceIcon): string {
  return (
    '<svg class="dy-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
    `stroke-linejoin="round" aria-hidden="true">${shapes[name]}</svg>`
  );
}
