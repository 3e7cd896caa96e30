/** Icons on a 24 by 24 grid. They are decorative: a label always carries the meaning. */
const paths = {
  archive: 'M4 7h16M5 7v12h14V7M4 4h16v3H4zM10 11h4',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  back: 'M19 12H5M11 6l-6 6 6 6',
  book: 'M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h10',
  box: 'M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9',
  branch: 'M7 4v10M7 14a3 3 0 1 0 0 6 3 3 0 0 0 0-6M17 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6M17 10c0 4-4 5-8 5.5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevron: 'M6 9l6 6 6-6',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
  close: 'M6 6l12 12M18 6L6 18',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  compare: 'M8 4v16M16 4v16M4 8l4-4 4 4M12 16l4 4 4-4',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3 6h6l2 2h10v11H3z',
  help: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M9.7 9.5a2.4 2.4 0 1 1 3.4 2.2c-.8.4-1.1.9-1.1 1.8M12 16.5v.1',
  home: 'M4 11l8-7 8 7v9h-5v-6H9v6H4z',
  key: 'M14.5 4a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M10.5 13.5L4 20M6.5 17.5L9 20',
  leave: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.1M4 12h.1M4 18h.1',
  menu: 'M4 7h16M4 12h16M4 17h16',
  moon: 'M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z',
  more: 'M5 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M12 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1M19 11.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1',
  users:
    'M9 5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7M2.5 20c.4-3.6 2.8-5.5 6.5-5.5s6.1 1.9 6.5 5.5M16 5.3a3.3 3.3 0 0 1 0 6.4M18 14.9c2 .7 3.2 2.4 3.5 5.1',
  play: 'M8 5l11 7-11 7z',
  plus: 'M12 5v14M5 12h14',
  pulse: 'M3 12h4l3-7 4 14 3-7h4',
  repeat: 'M4 11a7 7 0 0 1 12-4l3 3M19 5v5h-5M20 13a7 7 0 0 1-12 4l-3-3M5 19v-5h5',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M16 16l4.5 4.5',
  send: 'M4 12l16-8-5 16-3-7z',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM7.5 8h.1M7.5 16h.1',
  shield: 'M12 3l7.5 3v5.5c0 4.5-3 7.7-7.5 9.5-4.5-1.8-7.5-5-7.5-9.5V6z',
  sparkle: 'M12 4l1.8 5.2L19 11l-5.2 1.8L12 18l-1.8-5.2L5 11l5.2-1.8zM19 17v4M17 19h4',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2M12 19.5v2M4.6 4.6L6 6M18 18l1.4 1.4M2.5 12h2M19.5 12h2M4.6 19.4L6 18M18 6l1.4-1.4',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  warning: 'M12 4l9 16H3zM12 10v4.5M12 17.3v.1',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
