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
      <Note tone="warn">Copy the secret now. It is shown only once.</Note>
      <div className="shown-once">
        <CopyField text={secret} label="secret" />
      </div>
      <div className="field">
        <span className="field-label">For the receiver</span>
        <CodeBlock text={`DOCYARD_WEBHOOK_SECRET=${secret}`} label=".env line" />
        <span className="field-hint">
          Messages follow Standard Webhooks, which has libraries for most languages.{' '}
          <a href="/docs/guides/webhooks">How to verify a signature</a>
        </span>
      </div>
      {oldValidUntil !== null && (
        <p className="soft">Until {exact(oldValidUntil)} messages are also signed with the old secret.</p>
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
      lead="The receiver gets a new secret. Both secrets are valid during the overlap."
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
      title="Create a secret for single jobs"
      lead="It replaces the previous secret."
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
        label="Also sign with the old secret"
        value={overlap}
        onChange={setOverlap}
        choices={overlaps}
      />
      {children}
      {rotate.error !== null && <Problem error={rotate.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" busy={rotate.isPending} onClick={() => rotate.mutate()}>
          Create a new secret
        </Button>
      </DialogActions>
    </Dialog>
  );
}
