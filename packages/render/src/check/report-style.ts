/**
 * The inline stylesheet of the HTML report, with one filter rule per finding code. Security: it contains
 * nothing else of a site.
 */
const colors = {
  error: 'light-dark(#b42318,#ff9b8f)',
  warning: 'light-dark(#8a5300,#f2c063)',
  info: 'light-dark(#3d5a80,#a8c5ea)',
  ink: 'light-dark(#1c2126,#e8eaed)',
  faint: 'light-dark(#59636e,#9aa4af)',
  line: 'light-dark(#dfe3e8,#2d343c)',
  paper: 'light-dark(#f7f8f9,#111418)',
  card: 'light-dark(#ffffff,#181c21)',
};

const mono = 'ui-monospace,SFMono-Regular,Menlo,Consolas,monospace';

export function reportStyle(codes: readonly string[]): string {
  const choices = codes
    .filter((code) => /^[a-z_]+$/.test(code))
    .map(
      (code) =>
        `.findings:has(#code-${code}:checked) :is(.finding:not(.is-${code}),.file:not(:has(.is-${code}))){display:none}`,
    );
  return base + choices.join('');
}

const base = [
  `:root{color-scheme:light dark}*{box-sizing:border-box}`,
  `body{margin:0;padding:2.5rem 1.25rem 5rem;font:15px/1.55 system-ui,sans-serif;background:${colors.paper};color:${colors.ink}}`,
  `header,main{max-width:62rem;margin:0 auto}`,
  `.eyebrow{margin:0;color:${colors.faint};font-weight:600}`,
  `h1{margin:.1rem 0 1.25rem;font-size:2rem;line-height:1.2;letter-spacing:-.02em}`,
  `h2{margin:2.75rem 0 1rem;font-size:1.25rem;letter-spacing:-.01em}`,
  `a{color:inherit;text-underline-offset:.2em}`,
  `code{font-family:${mono};font-size:.8rem}`,
  `:focus-visible{outline:2px solid ${colors.info};outline-offset:2px}`,
  `.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem;margin:0}`,
  `.figure{display:flex;flex-direction:column-reverse;padding:.9rem 1.1rem;border:1px solid ${colors.line};border-radius:.75rem;background:${colors.card}}`,
  `.figure dt{color:${colors.faint}}.figure dd{margin:0;font-size:1.75rem;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}`,
  ...(['error', 'warning', 'info'] as const).map(
    (name) => `.figure.${name} dd,.finding.${name} .severity{color:${colors[name]}}`,
  ),
  `.choices{display:flex;flex-wrap:wrap;gap:.5rem;margin:0 0 1rem;padding:0;border:0}`,
  `.choices legend,.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}`,
  `.choice{position:relative;cursor:pointer}.choice input{position:absolute;opacity:0;inset:0;margin:0;cursor:pointer}`,
  `.choice span{display:block;padding:.35rem .85rem;border:1px solid ${colors.line};border-radius:2rem;background:${colors.card}}`,
  `.choice b{font-variant-numeric:tabular-nums;color:${colors.faint};font-weight:500}`,
  `.choice input:checked+span{background:${colors.ink};border-color:${colors.ink};color:${colors.card}}.choice input:checked+span b{color:inherit}`,
  `.choice input:focus-visible+span{outline:2px solid ${colors.info};outline-offset:2px}`,
  ...(['error', 'warning', 'info'] as const).map(
    (name) =>
      `.findings:has(#show-${name}:checked) :is(.finding:not(.${name}),.file:not(.has-${name})){display:none}`,
  ),
  `.codes,.file{margin:0 0 .75rem;border:1px solid ${colors.line};border-radius:.75rem;background:${colors.card}}`,
  `summary{display:flex;align-items:center;gap:.6rem;padding:.7rem 1.1rem;cursor:pointer;list-style:none;border-radius:.75rem}`,
  `summary::-webkit-details-marker{display:none}`,
  `summary::before{content:"";flex:none;width:.4rem;height:.4rem;border:solid ${colors.faint};border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}`,
  `details[open]>summary::before{transform:rotate(45deg) translate(-1px,-1px)}`,
  `summary h3{margin:0;font:600 .9rem/1.5 ${mono};overflow-wrap:anywhere}`,
  `.count{padding:0 .5rem;border-radius:1rem;background:${colors.paper};color:${colors.faint};font-size:.8rem;font-weight:500;font-variant-numeric:tabular-nums}`,
  `.file ul{margin:0;padding:0;list-style:none}`,
  `.finding{display:grid;grid-template-columns:4.75rem 4.5rem 1fr auto;gap:.25rem .75rem;align-items:baseline;padding:.65rem 1.1rem;border-top:1px solid ${colors.line}}`,
  `.finding p{margin:0;overflow-wrap:anywhere}.finding .hint{color:${colors.faint}}.finding code{color:${colors.faint}}`,
  `.severity{font-size:.8rem;font-weight:650}.place{font:.8rem ${mono};color:${colors.faint};font-variant-numeric:tabular-nums}`,
  `.scroll{overflow-x:auto;border:1px solid ${colors.line};border-radius:.75rem;background:${colors.card}}`,
  `.codes .scroll{border-width:1px 0 0;border-radius:0 0 .75rem .75rem}`,
  `table{width:100%;border-collapse:collapse}th,td{padding:.5rem 1.1rem;text-align:left;border-bottom:1px solid ${colors.line}}`,
  `tbody tr:last-child td{border-bottom:0}th{font-size:.8rem;font-weight:600;color:${colors.faint}}`,
  `.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.bar{width:30%}`,
  `meter{width:100%;height:.7rem}meter::-webkit-meter-bar{border:0;background:${colors.line}}`,
  `meter::-webkit-meter-optimum-value{background:${colors.info}}meter::-moz-meter-bar{background:${colors.info}}`,
  `.pick{display:flex;align-items:center;gap:.5rem;cursor:pointer}.pick input{margin:0;accent-color:${colors.info}}`,
  `.findings:not(:has(#show-all:checked):has(#code-all:checked)) .file .count{display:none}`,
  `.plain{margin:0;padding:.75rem 1.1rem .75rem 2.25rem;border:1px solid ${colors.line};border-radius:.75rem;background:${colors.card};font:.85rem/1.7 ${mono};overflow-wrap:anywhere}`,
  `.empty{padding:1.5rem;border:1px dashed ${colors.line};border-radius:.75rem;text-align:center;color:${colors.faint}}`,
  `.rest{color:${colors.faint}}`,
  `@media(max-width:40rem){.finding{grid-template-columns:auto 1fr auto}.finding div{grid-column:1/-1;grid-row:2}h1{font-size:1.6rem}}`,
  `@media print{body{padding:0;background:none}.choices,.codes{display:none}.file{break-inside:avoid}}`,
].join('');
