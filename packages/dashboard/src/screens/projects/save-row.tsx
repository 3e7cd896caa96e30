import { Button } from '../../parts/button.tsx';
import { ConflictDialog } from '../../parts/conflict-dialog.tsx';
import { FormProblem } from '../../parts/form.tsx';
import type { Conflict } from '../../parts/record-form.ts';

interface SaveRowProps<Form extends object> {
  edit: { form: Form; isSame: boolean; isPending: boolean; conflict: Conflict<Form> | undefined };
  labels: Partial<Record<keyof Form, string>>;
}

export function SaveRow<Form extends object>({ edit, labels }: SaveRowProps<Form>) {
  const { form, isSame, isPending, conflict } = edit;
  return (
    <>
      <FormProblem />
      <div>
        <Button type="submit" busy={isPending} disabled={isSame}>
          Save
        </Button>
      </div>
      <ConflictDialog conflict={conflict} form={form} labels={labels} isPending={isPending} />
    </>
  );
}
