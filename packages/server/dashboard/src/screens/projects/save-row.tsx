/** The end of a form of project settings: why it was not saved, and the button. */
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';

interface SaveRowProps {
  save: { error: unknown; isPending: boolean };
  /** Nothing was changed. */
  isSame: boolean;
  /** Fields that say themselves what is wrong with them. */
  besides?: readonly string[];
}

export function SaveRow({ save, isSame, besides = [] }: SaveRowProps) {
  return (
    <>
      {save.error !== null && <Problem error={save.error} besides={besides} />}
      <div>
        <Button type="submit" busy={save.isPending} disabled={isSame}>
          Save
        </Button>
      </div>
    </>
  );
}
