/**
 * What a tool over the service is: schemas for what goes in and out, what it does to the world, and the work itself. Each
 * call is checked before the service hears of it, and whatever goes wrong becomes an answer that says what to do.
 */
import type { DocyardClient } from '@docyard/api';
import { z } from 'zod';
import { toolSchema, type OfferedTool, type OngoingCall, type ToolAnswer } from '../tool-protocol/serve.ts';
import { explainFailure } from './explain.ts';

/** `reads` changes nothing, `adds` makes something new, `ends` stops something that is at work. */
type Effect = 'reads' | 'adds' | 'ends';

const hints: Record<Effect, Omit<NonNullable<OfferedTool['annotations']>, 'openWorldHint'>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  adds: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  ends: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

/** Of every tool that shows a part of a list. */
export const part = {
  limit: z.int().min(1).max(50).default(20).describe('How many, 1 to 50. Default 20.'),
  cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the part before.'),
};
export const nextCursor = z.string().nullable().describe('Null at the end of the list.');

/** What a tool works with. */
export interface Desk {
  client: DocyardClient;
  /** Where the service is, for sentences about it. */
  server: string;
  /** For calls that name no project. */
  projectId: string | undefined;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** It reaches beyond the service, such as to a forge. */
  openWorld?: boolean;
  input: Input;
  output: Output;
  run(given: z.output<Input>, desk: Desk, ongoing: OngoingCall): Promise<Told<z.input<Output>>>;
}

interface Told<Record> {
  record: Record;
  /** A sentence about what can be done now. */
  next?: string | undefined;
}

export interface ServiceTool {
  offered: OfferedTool;
  effect: Effect;
  call(input: object, desk: Desk, ongoing: OngoingCall): Promise<ToolAnswer>;
}

export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Definition<Input, Output>,
): ServiceTool {
  const { name, title, description, effect, input, output } = definition;
  return {
    effect,
    offered: {
      name,
      title,
      description,
      inputSchema: toolSchema(input, 'input'),
      outputSchema: toolSchema(output, 'output'),
      annotations: { ...hints[effect], openWorldHint: definition.openWorld ?? false },
    },
    async call(given, desk, ongoing) {
      const checked = input.safeParse(given);
      if (!checked.success) return failed(complaintAbout(checked.error));
      try {
        const { record, next } = await definition.run(checked.data, desk, ongoing);
        // Only what is described goes out, whatever a newer service may add.
        const structured = output.parse(record);
        return { texts: [JSON.stringify(structured), ...(next === undefined ? [] : [next])], structured };
      } catch (error) {
        // Nobody hears the answer to a call that was canceled.
        ongoing.signal.throwIfAborted();
        return failed(explainFailure(error, desk.server));
      }
    },
  };
}

function failed(text: string): ToolAnswer {
  return { texts: [text], isError: true };
}

function complaintAbout(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, 10)
    .map(({ path, message }) => `- ${path.join('.') || 'arguments'}: ${message}`);
  return `The arguments are not valid:\n${lines.join('\n')}`;
}
