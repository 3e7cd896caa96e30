/** Measures the size of a delta relative to its bundle, and the time to create and apply it. */
import { startService } from '../test/service.ts';
import { EditedCorpus, edits } from './edited-corpus.ts';
import { megabytes, rounded, type Measurement } from './measurement.ts';

export const delta: Measurement = {
  name: 'delta',
  about: 'the delta of an edit in 1,000 pages relative to the whole bundle',
  async run(report, { pages = 1000 }) {
    const service = await startService({ sample: false });
    try {
      const corpus = new EditedCorpus(service);
      report('export of the corpus');
      await corpus.start(pages);
      const rows: (string | number)[][] = [];
      for (const [name, edit] of Object.entries(edits)) {
        report(name);
        const { fullBytes, deltaBytes, makingSeconds, applyingSeconds, isSame } = await corpus.apply(edit);
        rows.push([
          name,
          megabytes(fullBytes),
          rounded(deltaBytes / 1000),
          `${rounded((100 * deltaBytes) / fullBytes, 3)} %`,
          rounded(makingSeconds, 2),
          rounded(applyingSeconds, 2),
          isSame ? 'yes' : 'NO',
        ]);
      }
      return {
        columns: ['edit', 'bundle MB', 'delta kB', 'share', 's to make', 's to apply', 'same bytes'],
        rows,
        notes: [
          'Making is the first request for the delta with its download. Applying is `docyard bundle apply`, which unpacks the old bundle, makes the new one from it and packs that. Same bytes: the result has the SHA-256 of the bundle that the service packed.',
        ],
      };
    } finally {
      await service.stop();
    }
  },
};
