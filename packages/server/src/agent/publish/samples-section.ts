import { notRunText, type SampleRuns } from '../samples/sample.ts';
import { code, oneLine, type Secrets } from './safe-text.ts';

interface SampleFacts extends Secrets {
  samples: SampleRuns | null;
}

const maxErrorLines = 6;

export function samplesSection({ samples, ...facts }: SampleFacts): string {
  if (samples === null) return '';
  const { results, notRun } = samples;
  const lines = results.map(({ path, line, language, problem, output }) => {
    const place = `- ${code(`${path}:${line}`, facts)} (${oneLine(language, facts)})`;
    if (problem === '') return `${place} passed`;
    const said = firstLines(output);
    return `${place} **failed**: ${problem}${said === '' ? '' : `: ${code(said, facts)}`}`;
  });
  const left = notRun === undefined ? [] : [`- ${oneLine(notRunText(notRun), facts)}`];
  return ['### Code samples', [...lines, ...left].join('\n')].join('\n\n');
}

function firstLines(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.slice(0, maxErrorLines).join(' / ');
}
