/** Counts and feedback in one table. */
import { csvLineOf } from '@docyard/api';
import type { DailyCount, Feedback } from './analytics-database.ts';

const columns = ['day', 'metric', 'name', 'reader', 'count', 'comment'];

export function* csvOfReadings(
  counts: Iterable<DailyCount>,
  feedback: Iterable<Feedback>,
): Generator<string, void, undefined> {
  yield csvLineOf(columns);
  for (const { day, metric, name, reader, count } of counts)
    yield csvLineOf([day, metric, name, reader, count]);
  for (const { day, path, isHelpful, comment } of feedback)
    yield csvLineOf([day, isHelpful ? 'helpful' : 'not_helpful', path, 'human', 1, comment]);
}
