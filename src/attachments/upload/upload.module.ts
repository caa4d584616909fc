import { Module, type DynamicModule } from '@nestjs/common';
import { UploadController } from './upload.controller.js';
import { UploadService, type UploadDeps } from './upload-service.js';

/** The route that takes files for later turns. */
@Module({})
export class UploadModule {
  static register(deps: UploadDeps): DynamicModule {
    return {
      module: UploadModule,
      controllers: [UploadController],
      providers: [{ provide: UploadService, useValue: new UploadService(deps) }],
    };
  }
}
