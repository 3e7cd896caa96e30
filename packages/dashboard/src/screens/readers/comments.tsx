import type { Analytics } from '@docyard/api';
import { useSearchParams } from 'wouter';
import { Badge } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';

const votes = [
  { value: 'all', label: 'All' },
  { value: 'not-helpful', label: 'Not helpful' },
  { value: 'helpful', label: 'Helpful' },
] as const;

interface CommentsProps {
  comments: Analytics['comments'];
  /** Names by deployment id; empty if all comments are about one site. */
  sites: ReadonlyMap<string, string>;
}

export function Comments({ comments, sites }: CommentsProps) {
  const [search, setSearch] = useSearchParams();
  const vote = votes.find(({ value }) => value === search.get('vote'))?.value ?? 'all';
  if (comments.length === 0) return null;
  const choose = (next: string) =>
    setSearch(
      (before) => {
        const params = new URLSearchParams(before);
        if (next === 'all') params.delete('vote');
        else params.set('vote', next);
        return params;
      },
      { replace: true },
    );
  const listed = comments.filter(({ isHelpful }) => vote === 'all' || isHelpful === (vote === 'helpful'));
  return (
    <Panel
      title="Comments"
      aside={<Segments label="Vote of the comments" value={vote} onChange={choose} segments={votes} />}
    >
      {listed.length === 0 && <p className="soft">None of the newest comments has this vote.</p>}
      <ul className="comments">
        {listed.map((comment, place) => (
          // Comments have no id, and two can be equal.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={place}>
            <p className="comment-text">{comment.comment}</p>
            <p className="comment-source">
              <Badge tone={comment.isHelpful ? 'good' : 'warn'}>
                {comment.isHelpful ? 'Helpful' : 'Not helpful'}
              </Badge>
              <span className="comment-path">{comment.path}</span>
              {sites.has(comment.deploymentId) && <span>{sites.get(comment.deploymentId)}</span>}
              <time dateTime={comment.day}>{dayFormat.format(new Date(`${comment.day}T00:00:00Z`))}</time>
            </p>
          </li>
        ))}
      </ul>
      {comments.length === maxComments && (
        <p className="faint">
          The newest {maxComments} comments are listed. The CSV file contains all of them.
        </p>
      )}
    </Panel>
  );
}

/** In an answer of the API. */
const maxComments = 100;

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
