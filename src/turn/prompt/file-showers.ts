import { Injectable } from '@nestjs/common';
import { Attachments } from '../../attachments/attachments.js';
import type { Requester } from '../../attachments/file-memory.js';
import { FileShower } from '../../attachments/show-files.js';
import { compact } from '../../platform/compact.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';

interface ShownFor {
  sessionId: string;
  requester: Requester;
  /** Images of the conversation. */
  images: number;
}

/** Opens a `FileShower`, which shows a conversation's files to a model. */
@Injectable()
export class FileShowers {
  constructor(
    private readonly attachments: Attachments,
    private readonly models: ModelCatalogue,
  ) {}

  /** Opens a shower for one session, by the options of a turn. */
  open(
    options: Pick<ResolvedOptions, 'model' | 'attachmentsAs' | 'contextNodes'>,
    { sessionId, requester, images }: ShownFor,
  ): FileShower {
    const { store, extractions } = this.attachments;
    const keep = (sha256: string): Promise<void> => store.keep(sessionId, [sha256]);
    const { model, attachmentsAs: wanted, contextNodes: mostFiles } = options;
    const { seesImages, readsPdfs, mostImages } = this.models.describe(model);
    const deps = { store, extractions, requester, keep };
    return new FileShower(deps, {
      wanted,
      seesImages,
      readsPdfs,
      mostImages,
      images,
      ...compact({ mostFiles }),
    });
  }
}
