/** Reads the automations file: YAML within limits, the schema, placeholders and schedules. */
import {
  AutomationsFile,
  automationsFile,
  maxAutomationsFileBytes,
  type AutomationDefinition,
  type AutomationProblem,
} from '@docyard/api';
import { dataTree, readYaml } from '@docyard/render/source-rules';
import { LineCounter, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { nextTime } from './schedule.ts';
import { templateProblem, triggerOf } from './template.ts';

/** The file is used as a whole or not at all: with problems there are no automations. */
export interface ParsedAutomations {
  automations: AutomationDefinition[];
  problems: AutomationProblem[];
}

type Path = readonly PropertyKey[];

const maxProblems = 20;
const maxDepth = 20;
/** With aliases expanded. */
const maxValues = 3000;
const maxCharacters = 200_000;

export function parseAutomations(source: string): ParsedAutomations {
  if (Buffer.byteLength(source) > maxAutomationsFileBytes) {
    return refused(`${automationsFile} is larger than ${maxAutomationsFileBytes} bytes. Shorten it.`);
  }
  const read = readYaml(source, maxDepth, { allowRepeatedKeys: false });
  if ('problem' in read) return refused(`The file is not YAML: ${read.problem}.`, read.place?.line);
  let content: unknown;
  try {
    content = dataTree(read.value, { depth: maxDepth, values: maxValues, characters: maxCharacters });
  } catch (error) {
    return refused(`The file cannot be used: ${(error as Error).message}.`);
  }
  const findLine = lineFinder(source);
  const problemAt = (path: Path, message: string): AutomationProblem => ({
    message,
    path: shownPath(path),
    line: findLine(path),
  });
  const parsed = AutomationsFile.safeParse(content);
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) =>
      describe(issue).map(({ path, message }) => problemAt(path, message)),
    );
    return { automations: [], problems: problems.slice(0, maxProblems) };
  }
  const { automations } = parsed.data;
  const problems = automations.flatMap((automation, index) =>
    complaintsAbout(automation).map(({ path, message }) =>
      problemAt(['automations', index, ...path], message),
    ),
  );
  return problems.length > 0
    ? { automations: [], problems: problems.slice(0, maxProblems) }
    : { automations, problems: [] };
}

function refused(message: string, line?: number): ParsedAutomations {
  return { automations: [], problems: [{ message, path: '', line: line ?? null }] };
}

interface Complaint {
  path: Path;
  message: string;
}

function complaintsAbout(automation: AutomationDefinition): Complaint[] {
  const { schedule } = automation.on;
  const found: Complaint[] = [];
  const template = templateProblem(automation.instructions, triggerOf(automation));
  if (template !== undefined) found.push({ path: ['instructions'], message: template });
  if (schedule !== undefined && nextTime(schedule, new Date(0)) === null) {
    const message = `"${schedule.cron}" is not a cron expression with a next time.`;
    found.push({ path: ['on', 'schedule', 'cron'], message });
  }
  return found;
}

function describe(issue: z.core.$ZodIssue): Complaint[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, message: issue.message }];
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: `There is no setting ${key.slice(0, 100)} here.`,
  }));
}

/** `automations[0].on.merged` */
function shownPath(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * Finds the line of a setting, or of the nearest one around it. This parser knows the places and is slow on hostile
 * text, so it reads only what the first one found to be small.
 */
function lineFinder(source: string): (path: Path) => number | null {
  const lines = new LineCounter();
  let document: Document | undefined;
  return (path) => {
    document ??= parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true) as { range?: number[] | null } | undefined;
      const offset = node?.range?.[0];
      if (offset !== undefined) return lines.linePos(offset).line;
    }
    return path.length === 0 ? 1 : null;
  };
}
