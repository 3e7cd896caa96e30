/** Shows the secret of a new key, which is not available again. */
import { scopesGrant, type CreatedKey } from '@docyard/api';
import { Button } from '../../parts/button.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { DialogActions } from '../../parts/dialog.tsx';
import { Note } from '../../parts/note.tsx';

export function NewKeySecret({ made, onClose }: { made: CreatedKey; onClose: () => void }) {
  const { origin } = globalThis.location;
  return (
    <div className="form">
      <Note tone="warn">
        Copy the key of <strong>{made.name}</strong> now. It is shown only once: the server stores only a hash
        of it.
      </Note>
      <div className="shown-once">
        <CopyField text={made.key} label="key" />
      </div>
      <div className="field">
        <span className="field-label">Try it</span>
        <CodeBlock
          text={`curl ${origin}${firstRead(made)} -H "Authorization: Bearer ${made.key}"`}
          label="curl line"
        />
      </div>
      <div className="field">
        <span className="field-label">In an .env file</span>
        <CodeBlock text={`DOCYARD_URL=${origin}\nDOCYARD_KEY=${made.key}`} label=".env lines" />
      </div>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  );
}

function firstRead({ projectId, scopes }: CreatedKey): string {
  return projectId !== null && scopesGrant(scopes, 'projects:read') ? `/v1/projects/${projectId}` : '/v1/me';
}
