import torch


def group_quantize(w, group):
    qs, ss = [], []
    for row in w:
        qr, sr = [], []
        for part in row.split(group):
            s = max(part.abs().max().item() / 7, 2**-12)
            sr.append(s)
            qr.append((part / s).round().int())
        qs.append(torch.cat(qr))
        ss.append(torch.tensor(sr))
    return torch.stack(qs), torch.stack(ss)
