/** Author-defined colors of flowchart nodes: parsed strictly, readable in light and dark. */
const hexColor = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;
const namedColors: Record<string, string> = {
  white: '#ffffff',
  black: '#000000',
  red: '#ff0000',
  green: '#008000',
  blue: '#0000ff',
  yellow: '#ffff00',
  orange: '#ffa500',
  pink: '#ffc0cb',
  purple: '#800080',
  gray: '#808080',
  grey: '#808080',
  lightblue: '#add8e6',
  lightgreen: '#90ee90',
  lightyellow: '#ffffe0',
  lightgray: '#d3d3d3',
  lightgrey: '#d3d3d3',
  lightpink: '#ffb6c1',
  coral: '#ff7f50',
  gold: '#ffd700',
};

export function readStyles(text: string): Map<string, string> {
  return new Map(
    text
      .replace(/;\s*$/, '')
      .split(',')
      .flatMap((pair): [string, string][] => {
        const [key = '', value = ''] = pair.split(':').map((side) => side.trim().toLowerCase());
        const color = namedColors[value] ?? value;
        return ['fill', 'stroke', 'color'].includes(key) && hexColor.test(color) ? [[key, color]] : [];
      }),
  );
}

/** A fill determines its text color, so that both appearances stay readable; a text color alone cannot. */
export function nodeStyles(styles: ReadonlyMap<string, string>): string {
  const fill = styles.get('fill');
  const stroke = styles.get('stroke') ?? fill;
  if (fill === undefined) return stroke ? `stroke:${stroke}` : '';
  return `fill:${fill},stroke:${stroke},color:${isLight(fill) ? '#16191d' : '#ffffff'}`;
}

function isLight(color: string): boolean {
  const full = color.length === 4 ? color.replaceAll(/[\da-f]/gi, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(full.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140;
}
