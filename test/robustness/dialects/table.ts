import { chatDialects } from './chat.ts';
import type { Dialect } from './dialect.ts';
import { faultDialects } from './faults.ts';
import { messageDialects } from './messages.ts';
import { refusalDialects, unreadableDialects, wholeDialects } from './refusals.ts';
import { textCallDialects, unreadableTextDialects } from './text-calls.ts';

export const dialects: readonly Dialect[] = [
  ...chatDialects,
  ...wholeDialects,
  ...refusalDialects,
  ...textCallDialects,
  ...unreadableDialects,
  ...unreadableTextDialects,
  ...faultDialects,
  ...messageDialects,
];
