/** Reads deploy/Dockerfile and .dockerignore, to determine the content of the image without Docker. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Instruction {
  /** The number of the stage, from 0; -1 before the first. */
  stage: number;
  name: string;
  text: string;
}

export function readDockerfile(): Instruction[] {
  const lines = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line));
  let stage = -1;
  return lines
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [name = ''] = line.split(' ', 1);
      if (name === 'FROM') stage += 1;
      return { stage, name, text: line.slice(name.length).trim() };
    });
}

export interface Copy {
  sources: string[];
  target: string;
}

/** From the repository, not from another stage. */
export function copiesOf(instructions: Instruction[]): Copy[] {
  return instructions
    .filter(({ name, text }) => name === 'COPY' && !text.includes('--from='))
    .map(({ text }) => {
      const paths = text.split(/\s+/).filter((word) => !word.startsWith('--'));
      return { sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}

/** Variables that the instructions ENV of a stage set. */
export function variablesOf(instructions: Instruction[], stage: number): Record<string, string> {
  const pairs = instructions
    .filter((each) => each.name === 'ENV' && each.stage === stage)
    .flatMap(({ text }) => text.split(' ').map((pair) => pair.split('=')))
    // Empty unless a build argument is given.
    .filter(([, value = '']) => !value.startsWith('${'));
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** The number of the stage of this name. */
export function stageOf(instructions: Instruction[], name: string): number {
  const found = instructions.find((each) => each.name === 'FROM' && each.text.endsWith(` AS ${name}`));
  if (found === undefined) throw new Error(`deploy/Dockerfile has no stage ${name}.`);
  return found.stage;
}

/** Every file that a COPY adds, with its path in the image. */
export function filesOf({ sources, target }: Copy): { from: string; to: string }[] {
  return sources.flatMap((source) => {
    const isFolder = existsSync(join(root, source)) && statSync(join(root, source)).isDirectory();
    if (!isFolder) return isSent(source) ? [{ from: source, to: join(target, basename(source)) }] : [];
    return filesBelow(source).map((file) => ({ from: file, to: join(target, file.slice(source.length)) }));
  });
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (!isSent(path)) return [];
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

const rules = readFileSync(join(root, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ sends: line.startsWith('!'), pattern: patternOf(line.replace(/^!/, '')) }));

/** The last rule that matches a path or a parent folder decides. */
export function isSent(path: string): boolean {
  const parts = path.split('/');
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = rules.findLast(({ pattern }) => above.some((each) => pattern.test(each)));
  return last?.sends ?? true;
}

/** Unlike in a shell, `*` also matches a leading dot. */
function patternOf(rule: string): RegExp {
  const parts = rule.split('/').map((part) => part.replaceAll('.', '\\.').replaceAll('*', '[^/]*'));
  return new RegExp(`^${parts.join('/').replaceAll('[^/]*[^/]*/', '(?:.*/)?')}$`);
}
