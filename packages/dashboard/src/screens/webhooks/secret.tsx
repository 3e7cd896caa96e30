/** Secrets of webhooks: replaced with an overlap, and shown once. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { WebhookSecret } from '@docyard/api';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { Problem } from '../../parts/problem.tsx';
import { exact } from '../../parts/time.tsx';

export function SecretShownOnce(props: {
  secret: string;
  oldValidUntil?: string | null;
  onClose: () => void;
}) {
  const { secret, oldValidUntil = null, onClose } = props;
  return (
    <div className="form">
      <Note tone="warn">Copy the secret now. It is shown this once.</Note>
      <div className="shown-once">
        <CopyField text={secret} label="secret" />
      </div>
      <div className="field">
        <span className="field-label">For the receiver</span>
        <CodeBlock text={`DOCYARD_WEBHOOK_SECRET=${secret}`} label=".env line" />
        <span className="field-hint">
          Messages follow Standard Webhooks; a library for your language checks them.{' '}
          <a href="/docs/guides/webhooks">How to check a signature</a>
        </span>
      </div>
      {oldValidUntil !== null && (
        <p className="soft">Until {exact(oldValidUntil)} messages carry a signature of the old secret too.</p>
      )}
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  );
}

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'For an hour' },
  { value: '86400', label: 'For a day' },
  { value: '604800', label: 'For a week' },
];

export function RotateSecretDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [overlap, setOverlap] = useState('86400');
  const call = { params: { webhookId }, body: { overlapSeconds: Number(overlap) } };
  const rotate = useMutation({ mutationFn: () => client.call('rotateWebhookSecret', call) });
  return (
    <RotateDialog
      title="Replace the secret"
      lead="The receiver gets a new secret. While both count, nothing is lost."
      rotate={rotate}
      overlap={overlap}
      setOverlap={setOverlap}
      onClose={onClose}
    >
      <ApiCall operation="rotateWebhookSecret" {...call} />
    </RotateDialog>
  );
}

export function OrganizationSecretDialog({ onClose }: { onClose: () => void }) {
  const [overlap, setOverlap] = useState('86400');
  const call = { body: { overlapSeconds: Number(overlap) } };
  const rotate = useMutation({ mutationFn: () => client.call('rotateOrganizationSecret', call) });
  return (
    <RotateDialog
      title="Make a secret for single jobs"
      lead="It takes the place of the one before, if there was one."
      rotate={rotate}
      overlap={overlap}
      setOverlap={setOverlap}
      onClose={onClose}
    >
      <ApiCall operation="rotateOrganizationSecret" {...call} />
    </RotateDialog>
  );
}

function RotateDialog(props: {
  title: string;
  lead: string;
  rotate: UseMutationResult<WebhookSecret, Error, void>;
  overlap: string;
  setOverlap: (overlap: string) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const { title, lead, rotate, overlap, setOverlap, onClose, children } = props;
  if (rotate.data !== undefined)
    return (
      <Dialog open onClose={onClose} title="The new secret" keep>
        <SecretShownOnce {...rotate.data} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={title} lead={lead}>
      <SelectField
        label="Sign with the old secret too"
        value={overlap}
        onChange={setOverlap}
        choices={overlaps}
      />
      {children}
      {rotate.error !== null && <Problem error={rotate.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={rotate.isPending} onClick={() => rotate.mutate()}>
          Make a new secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
