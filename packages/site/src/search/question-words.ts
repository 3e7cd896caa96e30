/** Words that questions need and texts do not, beside the stop words of the search index. */
const fillers = new Set(
  (
    'about also am any anyone because been being cant cannot could did didnt doesnt dont each exactly explain get gets ' +
    'getting give given gives go had has hasnt have havent having help hello her here hey hi him his how however id im ive ' +
    'just kind know like many may me might more most mostly much must need needed needs one ones only other please possible ' +
    'really same see should show so some someone something sort still such tell than thank thanks them those through too ' +
    'try trying until us very want wanted wants way ways well were whats wheres whether which while who whose why wont ' +
    'would yes'
  ).split(' '),
);

/** The words to search for, without a question mark or other signs at the ends. All words if nothing else is left. */
export function wordsOf(question: string): string[] {
  const words = question.split(/\s+/).filter((word) => word !== '');
  const informative = words.filter(
    (word) => !fillers.has(word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')),
  );
  return informative.length > 0 ? informative : words;
}
