/**
 * Defines a tool of the service: schemas, effect and implementation. Invalid input and errors become answers
 * that say what to do.
 */
import type { DocyardClient } from '@docyard/api';
import { z } from 'zod';
import { toolSchema, type OfferedTool, type OngoingCall, type ToolAnswer } from '../tool-protocol/serve.ts';
import { explainFailure } from './explain.ts';

/** `reads` changes nothing, `creates` adds a record, `cancels` stops a job. */
type Effect = 'reads' | 'creates' | 'cancels';

const hints: Record<Effect, Omit<NonNullable<OfferedTool['annotations']>, 'openWorldHint'>> = {
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  creates: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  cancels: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
};

export const pageInputs = {
  limit: z.int().min(1).max(50).default(20).describe('Number of results, 1 to 50. Default 20.'),
  cursor: z.string().min(1).max(512).optional().describe('`nextCursor` of the previous page.'),
};
export const nextCursor = z.string().nullable().describe('Null at the end of the list.');

export interface ToolEnvironment {
  client: DocyardClient;
  server: string;
  projectId: string | undefined;
}

interface Definition<Input extends z.ZodObject, Output extends z.ZodObject> {
  name: string;
  title: string;
  description: string;
  effect: Effect;
  /** The tool affects systems outside the service, such as a forge. */
  openWorld?: boolean;
  input: Input;
  output: Output;
  run(
    given: z.output<Input>,
    environment: ToolEnvironment,
    ongoing: OngoingCall,
  ): Promise<ToolOutcome<z.input<Output>>>;
}

interface ToolOutcome<Record> {
  record: Record;
  next?: string | undefined;
}

export interface ServiceTool {
  offered: OfferedTool;
  effect: Effect;
  call(input: object, environment: ToolEnvironment, ongoing: OngoingCall): Promise<ToolAnswer>;
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
    async call(given, environment, ongoing) {
      const checked = input.safeParse(given);
      if (!checked.success) return failed(issuesOf(checked.error));
      try {
        const { record, next } = await definition.run(checked.data, environment, ongoing);
        // Drops fields of newer services that the schema does not describe.
        const structured = output.parse(record);
        return { texts: [JSON.stringify(structured), ...(next === undefined ? [] : [next])], structured };
      } catch (error) {
        // A canceled call gets no answer.
        ongoing.signal.throwIfAborted();
        return failed(explainFailure(error, environment.server));
      }
    },
  };
}

function failed(text: string): ToolAnswer {
  return { texts: [text], isError: true };
}

function issuesOf(error: z.ZodError): string {
  const lines = error.issues
    .slice(0, 10)
    .map(({ path, message }) => `- ${path.join('.') || 'arguments'}: ${message}`);
  return `The arguments are invalid:\n${lines.join('\n')}`;
}
