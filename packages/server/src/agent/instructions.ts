/**
 * Standing instructions come from the settings of the project and a file of its default branch. The branch of
 * the job is never read: anyone who can propose a branch could otherwise steer the agent.
 */
import type { RefFiles } from './workspace/workspace.ts';

/** The first file with text wins. */
const instructionFiles = ['.docs/AGENTS.md', 'AGENTS.md', '.mintlify/AGENTS.md', 'CLAUDE.md'];
const cursorFolder = '.cursor/rules';
const cursorFile = '.cursorrules';
const maxCursorFiles = 20;
const maxCharacters = 16_000;

export async function readInstructions(given: {
  files: Pick<RefFiles, 'read' | 'list'>;
  ofProject: string | null;
}): Promise<string | null> {
  const { files, ofProject } = given;
  const parts = [ofProject ?? '', await ofRepository(files)].filter(hasText).map(capped);
  return parts.length === 0 ? null : parts.join('\n\n');
}

async function ofRepository(files: Pick<RefFiles, 'read' | 'list'>): Promise<string> {
  for (const path of instructionFiles) {
    const text = (await files.read(path)) ?? '';
    if (hasText(text)) return text;
  }
  const rules = await cursorRules(files);
  return hasText(rules) ? rules : ((await files.read(cursorFile)) ?? '');
}

/** With the front matter, which says for which files a rule is meant. */
async function cursorRules(files: Pick<RefFiles, 'read' | 'list'>): Promise<string> {
  const paths = (await files.list(cursorFolder)).filter((path) => /\.mdc?$/.test(path)).toSorted();
  const texts: string[] = [];
  for (const path of paths.slice(0, maxCursorFiles)) {
    const text = (await files.read(path)) ?? '';
    if (hasText(text)) texts.push(`Rules of ${path}:\n\n${text.trim()}`);
  }
  return texts.join('\n\n');
}

function hasText(text: string): boolean {
  return text.trim() !== '';
}

function capped(text: string): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters)}\n[Truncated at ${maxCharacters} characters.]`;
}
