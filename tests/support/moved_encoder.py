"""An encoder that became another one under the same name."""

import numpy as np

from semscale.embedding.token_states import TokenEncoder


class MovedEncoder(TokenEncoder):
    """A model's states with some more of the first token's in each, by a share; its signature stays."""

    share = 0.5

    def encode_groups(self, tokens, groups, *, layer):
        for text, states in super().encode_groups(tokens, groups, layer=layer):
            yield text, (states + self.share * states[:1]).astype(np.float32)
