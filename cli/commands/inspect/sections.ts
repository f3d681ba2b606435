import type { Language } from '@springtide/wire/messages';
import { hamiSection, migSection, modelSection, timeSlicedSection, unknownSection } from './card-sections.ts';
import type { Inspection } from './inspection.ts';
import { leftoverSection, lossSection, rackSection, requestSection } from './loss-sections.ts';
import type { Limits, Section, Telling } from './section.ts';
import { sharedSection } from './shared-section.ts';
import { overcommittedSection, pictureSection, problemSection } from './trouble-sections.ts';
import { emptiableSection, gangSection, waitingSection } from './work-sections.ts';

/** All sections that have something to say, in the order in which they are read. */
export function sectionsOf(found: Inspection, language: Language, limits: Limits): Section[] {
  const telling: Telling = { found, language, limits };
  const all = [
    modelSection(telling),
    hamiSection(telling),
    sharedSection(telling),
    migSection(telling),
    timeSlicedSection(telling),
    unknownSection(telling),
    lossSection(telling),
    rackSection(telling),
    requestSection(telling),
    leftoverSection(telling),
    gangSection(telling),
    emptiableSection(telling),
    waitingSection(telling),
    pictureSection(telling),
    problemSection(telling),
    overcommittedSection(telling),
  ];
  return all.filter((section) => section !== null);
}
