import { usePendingLeave } from '../edits/unsaved-edits.ts';
import { Confirm, discardQuestion } from './dialog.tsx';

export function LeaveDialog() {
  const { isAsked, stay, discard } = usePendingLeave();
  return (
    <Confirm open={isAsked} onClose={stay} {...discardQuestion} act={discard} busy={false}>
      Your changes are not saved yet.
    </Confirm>
  );
}
