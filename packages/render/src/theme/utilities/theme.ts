/** The Tailwind 3 scales, which documentation sites use, as Tailwind 4 configuration. */

const shadeNames = ['50', '100', '200', '300', '400', '500', '600', '700', '800', '900', '950'];

const shadesByHue: Record<string, string> = {
  slate: 'f8fafc f1f5f9 e2e8f0 cbd5e1 94a3b8 64748b 475569 334155 1e293b 0f172a 020617',
  gray: 'f9fafb f3f4f6 e5e7eb d1d5db 9ca3af 6b7280 4b5563 374151 1f2937 111827 030712',
  zinc: 'fafafa f4f4f5 e4e4e7 d4d4d8 a1a1aa 71717a 52525b 3f3f46 27272a 18181b 09090b',
  neutral: 'fafafa f5f5f5 e5e5e5 d4d4d4 a3a3a3 737373 525252 404040 262626 171717 0a0a0a',
  stone: 'fafaf9 f5f5f4 e7e5e4 d6d3d1 a8a29e 78716c 57534e 44403c 292524 1c1917 0c0a09',
  red: 'fef2f2 fee2e2 fecaca fca5a5 f87171 ef4444 dc2626 b91c1c 991b1b 7f1d1d 450a0a',
  orange: 'fff7ed ffedd5 fed7aa fdba74 fb923c f97316 ea580c c2410c 9a3412 7c2d12 431407',
  amber: 'fffbeb fef3c7 fde68a fcd34d fbbf24 f59e0b d97706 b45309 92400e 78350f 451a03',
  yellow: 'fefce8 fef9c3 fef08a fde047 facc15 eab308 ca8a04 a16207 854d0e 713f12 422006',
  lime: 'f7fee7 ecfccb d9f99d bef264 a3e635 84cc16 65a30d 4d7c0f 3f6212 365314 1a2e05',
  green: 'f0fdf4 dcfce7 bbf7d0 86efac 4ade80 22c55e 16a34a 15803d 166534 14532d 052e16',
  emerald: 'ecfdf5 d1fae5 a7f3d0 6ee7b7 34d399 10b981 059669 047857 065f46 064e3b 022c22',
  teal: 'f0fdfa ccfbf1 99f6e4 5eead4 2dd4bf 14b8a6 0d9488 0f766e 115e59 134e4a 042f2e',
  cyan: 'ecfeff cffafe a5f3fc 67e8f9 22d3ee 06b6d4 0891b2 0e7490 155e75 164e63 083344',
  sky: 'f0f9ff e0f2fe bae6fd 7dd3fc 38bdf8 0ea5e9 0284c7 0369a1 075985 0c4a6e 082f49',
  blue: 'eff6ff dbeafe bfdbfe 93c5fd 60a5fa 3b82f6 2563eb 1d4ed8 1e40af 1e3a8a 172554',
  indigo: 'eef2ff e0e7ff c7d2fe a5b4fc 818cf8 6366f1 4f46e5 4338ca 3730a3 312e81 1e1b4b',
  violet: 'f5f3ff ede9fe ddd6fe c4b5fd a78bfa 8b5cf6 7c3aed 6d28d9 5b21b6 4c1d95 2e1065',
  purple: 'faf5ff f3e8ff e9d5ff d8b4fe c084fc a855f7 9333ea 7e22ce 6b21a8 581c87 3b0764',
  fuchsia: 'fdf4ff fae8ff f5d0fe f0abfc e879f9 d946ef c026d3 a21caf 86198f 701a75 4a044e',
  pink: 'fdf2f8 fce7f3 fbcfe8 f9a8d4 f472b6 ec4899 db2777 be185d 9d174d 831843 500724',
  rose: 'fff1f2 ffe4e6 fecdd3 fda4af fb7185 f43f5e e11d48 be123c 9f1239 881337 4c0519',
};

const paletteColors: [string, string][] = Object.entries(shadesByHue).flatMap(([hue, values]) =>
  values.split(' ').map((value, index): [string, string] => [`${hue}-${shadeNames[index]}`, `#${value}`]),
);

const siteColors: [string, string][] = [
  ['primary', 'var(--dy-accent)'],
  ['primary-light', 'rgb(var(--primary-light))'],
  ['primary-dark', 'rgb(var(--primary-dark))'],
  ['background-light', 'rgb(var(--background-light))'],
  ['background-dark', 'rgb(var(--background-dark))'],
];

const colors: [string, string][] = [['white', '#fff'], ['black', '#000'], ...siteColors, ...paletteColors];

const scales = `
  --spacing: 0.25rem;
  --breakpoint-*: initial;
  --breakpoint-sm: 640px;
  --breakpoint-md: 768px;
  --breakpoint-lg: 1024px;
  --breakpoint-xl: 1280px;
  --breakpoint-2xl: 1536px;
  --container-3xs: 16rem;
  --container-2xs: 18rem;
  --container-xs: 20rem;
  --container-sm: 24rem;
  --container-md: 28rem;
  --container-lg: 32rem;
  --container-xl: 36rem;
  --container-2xl: 42rem;
  --container-3xl: 48rem;
  --container-4xl: 56rem;
  --container-5xl: 64rem;
  --container-6xl: 72rem;
  --container-7xl: 80rem;
  --container-prose: 65ch;
  --font-sans: var(--dy-sans);
  --font-mono: var(--dy-mono);
  --font-serif: ui-serif, Georgia, Cambria, 'Times New Roman', Times, serif;
  --text-xs: 0.75rem; --text-xs--line-height: 1rem;
  --text-sm: 0.875rem; --text-sm--line-height: 1.25rem;
  --text-base: 1rem; --text-base--line-height: 1.5rem;
  --text-lg: 1.125rem; --text-lg--line-height: 1.75rem;
  --text-xl: 1.25rem; --text-xl--line-height: 1.75rem;
  --text-2xl: 1.5rem; --text-2xl--line-height: 2rem;
  --text-3xl: 1.875rem; --text-3xl--line-height: 2.25rem;
  --text-4xl: 2.25rem; --text-4xl--line-height: 2.5rem;
  --text-5xl: 3rem; --text-5xl--line-height: 1;
  --text-6xl: 3.75rem; --text-6xl--line-height: 1;
  --text-7xl: 4.5rem; --text-7xl--line-height: 1;
  --text-8xl: 6rem; --text-8xl--line-height: 1;
  --text-9xl: 8rem; --text-9xl--line-height: 1;
  --font-weight-thin: 100;
  --font-weight-extralight: 200;
  --font-weight-light: 300;
  --font-weight-normal: 400;
  --font-weight-medium: 500;
  --font-weight-semibold: 600;
  --font-weight-bold: 700;
  --font-weight-extrabold: 800;
  --font-weight-black: 900;
  --tracking-tighter: -0.05em;
  --tracking-tight: -0.025em;
  --tracking-normal: 0em;
  --tracking-wide: 0.025em;
  --tracking-wider: 0.05em;
  --tracking-widest: 0.1em;
  --leading-tight: 1.25;
  --leading-snug: 1.375;
  --leading-normal: 1.5;
  --leading-relaxed: 1.625;
  --leading-loose: 2;
  --radius: 0.25rem;
  --radius-sm: 0.125rem;
  --radius-md: 0.375rem;
  --radius-lg: 0.5rem;
  --radius-xl: 0.75rem;
  --radius-2xl: 1rem;
  --radius-3xl: 1.5rem;
  --shadow: 0 1px 3px 0 rgb(0 0 0 / 0.1), 0 1px 2px -1px rgb(0 0 0 / 0.1);
  --shadow-sm: 0 1px 2px 0 rgb(0 0 0 / 0.05);
  --shadow-md: 0 4px 6px -1px rgb(0 0 0 / 0.1), 0 2px 4px -2px rgb(0 0 0 / 0.1);
  --shadow-lg: 0 10px 15px -3px rgb(0 0 0 / 0.1), 0 4px 6px -4px rgb(0 0 0 / 0.1);
  --shadow-xl: 0 20px 25px -5px rgb(0 0 0 / 0.1), 0 8px 10px -6px rgb(0 0 0 / 0.1);
  --shadow-2xl: 0 25px 50px -12px rgb(0 0 0 / 0.25);
  --shadow-inner: inset 0 2px 4px 0 rgb(0 0 0 / 0.05);
  --drop-shadow: 0 1px 2px rgb(0 0 0 / 0.1), 0 1px 1px rgb(0 0 0 / 0.06);
  --drop-shadow-sm: 0 1px 1px rgb(0 0 0 / 0.05);
  --drop-shadow-md: 0 4px 3px rgb(0 0 0 / 0.07), 0 2px 2px rgb(0 0 0 / 0.06);
  --drop-shadow-lg: 0 10px 8px rgb(0 0 0 / 0.04), 0 4px 3px rgb(0 0 0 / 0.1);
  --drop-shadow-xl: 0 20px 13px rgb(0 0 0 / 0.03), 0 8px 5px rgb(0 0 0 / 0.08);
  --drop-shadow-2xl: 0 25px 25px rgb(0 0 0 / 0.15);
  --blur: 8px;
  --blur-sm: 4px;
  --blur-md: 12px;
  --blur-lg: 16px;
  --blur-xl: 24px;
  --blur-2xl: 40px;
  --blur-3xl: 64px;
  --ease-in: cubic-bezier(0.4, 0, 1, 1);
  --ease-out: cubic-bezier(0, 0, 0.2, 1);
  --ease-in-out: cubic-bezier(0.4, 0, 0.2, 1);
  --aspect-video: 16 / 9;
  --default-ring-width: 3px;
  --default-ring-color: rgb(59 130 246 / 0.5);
  --default-transition-duration: 150ms;
  --default-transition-timing-function: cubic-bezier(0.4, 0, 0.2, 1);
  --animate-spin: spin 1s linear infinite;
  --animate-ping: ping 1s cubic-bezier(0, 0, 0.2, 1) infinite;
  --animate-pulse: pulse 2s cubic-bezier(0.4, 0, 0.6, 1) infinite;
  --animate-bounce: bounce 1s infinite;
  @keyframes spin { to { transform: rotate(360deg); } }
  @keyframes ping { 75%, 100% { transform: scale(2); opacity: 0; } }
  @keyframes pulse { 50% { opacity: 0.5; } }
  @keyframes bounce {
    0%, 100% { transform: translateY(-25%); animation-timing-function: cubic-bezier(0.8, 0, 1, 1); }
    50% { transform: none; animation-timing-function: cubic-bezier(0, 0, 0.2, 1); }
  }
`;

/** Without JavaScript there is no appearance class, so `dark:` follows the theme attribute and the system. */
const rules = `
@custom-variant dark {
  &:where([data-theme='dark'] *) { @slot; }
  @media (prefers-color-scheme: dark) { &:where(:root:not([data-theme]) *) { @slot; } }
}
@utility flex-shrink { flex-shrink: 1; }
@utility flex-shrink-0 { flex-shrink: 0; }
@utility flex-grow { flex-grow: 1; }
@utility flex-grow-0 { flex-grow: 0; }
@utility overflow-ellipsis { text-overflow: ellipsis; }
@utility break-words { overflow-wrap: break-word; }
`;

const opacityNames = ['bg', 'text', 'border'] as const;
const opacityNamespaces = { bg: 'background-color', text: 'text-color', border: 'border-color' };

/** `bg-opacity-*` utilities need a color scale each, so they are included only when used. */
export function utilityTheme(layer: string, classes: readonly string[]): string {
  const used = opacityNames.filter((name) => classes.some((one) => one.includes(`${name}-opacity-`)));
  const palette = colors.map(([name, value]) => `--color-${name}: ${value};`);
  const translucent = used.flatMap((name) =>
    colors.map(
      ([color, value]) =>
        `--${opacityNamespaces[name]}-${color}: color-mix(in srgb, ${value} var(--tw-${name}-opacity, 100%), transparent);`,
    ),
  );
  const opacities = used.map(
    (name) => `@utility ${name}-opacity-* { --tw-${name}-opacity: calc(--value(integer) * 1%); }`,
  );
  return (
    `@theme default inline {${scales}${[...palette, ...translucent].join('')}}\n` +
    `@layer ${layer} { @tailwind utilities; }\n${rules}${opacities.join('\n')}`
  );
}
