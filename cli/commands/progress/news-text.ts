import type { ProgressNews } from '@springtide/core/progress';
import { type Language, message } from '@springtide/wire/messages';
import { durationText, grouped, restartText, troubleText } from '@springtide/wire/reasons';

/** A line about a job. */
export function newsText(language: Language, news: ProgressNews): string {
  const { job, incarnation } = news;
  return message(language, 'progress.news.line', { job, incarnation, what: whatText(language, news) });
}

function whatText(language: Language, news: ProgressNews): string {
  switch (news.kind) {
    case 'checkpointed': {
      const { checkpoint } = news;
      if (checkpoint === null) return message(language, 'progress.news.noCheckpoint');
      return message(language, 'progress.news.checkpoint', { step: grouped(checkpoint.step), uri: checkpoint.uri });
    }
    case 'troubled':
      return troubleText(language, news.trouble);
    case 'recovered':
      return message(language, 'progress.news.recovered', { after: durationText(news.afterMs) });
    case 'decided':
      return restartText(language, news.decision);
  }
}
